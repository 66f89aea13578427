"""`__init__` of an operator's class: from `new`, from a struct's fields, or from a kernel's constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.host.body import Body
from transpiler.host.plan import Argument
from transpiler.host.types import (
    BOOL,
    PHANTOM,
    TEXT,
    HostError,
    Option,
    Scalar,
    Structure,
    is_float,
    is_integer,
    resolved,
    text_of,
)
from transpiler.host.values import Value, call
from transpiler.ir.types import DType
from transpiler.ir.types import Scalar as KernelScalar
from transpiler.passes.layout import layout_of
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Assignment,
    Call,
    Evaluation,
    Function,
    Keyword,
    Name,
    Parameter,
    Subscript,
    Suite,
    Text,
    dotted,
)
from transpiler.target.names import python_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.host.methods import Methods
    from transpiler.host.pushes import Deliver
    from transpiler.host.surroundings import Implementation, Routine
    from transpiler.host.types import HostType
    from transpiler.ir import nodes as ir
    from transpiler.source import Span
    from transpiler.syntax.base import Trivia
    from transpiler.target.model import Expression

_TAKEN = frozenset({"id", "launch", "name", "self", "source", "super"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Constructor:
    """How an operator is made.

    Attributes:
        function: `__init__`, without what the runtime adds.
        arguments: what it takes; no defaults.
        kernels: the structs of kernels that are made, each with its constants in terms of the arguments.
        stored: the fields that hold an argument as it was given, by the name of the argument.
        held: the fields that hold the struct of a kernel, by its name in Rust.
        values: what the fields hold, in terms of the arguments.
    """

    function: Function
    arguments: tuple[Argument, ...]
    kernels: tuple[tuple[ir.Kernel, tuple[Expression, ...]], ...] = ()
    stored: Mapping[str, str]
    held: Mapping[str, str]
    values: Mapping[str, Expression]


def of_kernel(kernel: ir.Kernel) -> Constructor:
    """That of a kernel's own struct, which has a field for each const generic."""
    names: dict[str, tuple[str, str]] = {}
    for symbol in kernel.const_generics:
        name = python_name(symbol.name.lower(), _TAKEN.union(names), frozenset())
        is_flag = symbol.type == KernelScalar(dtype=DType.BOOL)
        names[name] = symbol.name, "bool" if is_flag else "int"
    made = Call(
        dotted("super().__init__"),
        (Subscript(Name("KERNELS"), Text(kernel.name)),),
        tuple(Keyword(rust, Name(name)) for name, (rust, _) in names.items()),
    )
    fields = [Assignment(targets=(f"self.{name}",), value=Name(name)) for name in names]
    return Constructor(
        function=_function(
            [(name, kind) for name, (_, kind) in names.items()],
            Suite(statements=(Evaluation(value=made), *fields)),
        ),
        arguments=tuple(Argument(name=name, annotation=kind) for name, (_, kind) in names.items()),
        stored={name: name for name in names},
        held={},
        values={},
    )


def of_struct(methods: Methods, struct: syntax.Struct, new: Routine | None) -> Constructor:
    """That of a struct of the file.

    Raises:
        HostError: it takes or holds what is outside the model.
    """
    owner = methods.owner
    if new is None:
        return _of_fields(owner, struct)
    body = _New(owner, new)
    methods.constructor = body
    function = body.lower("__init__", methods.block(new.function), ())
    methods.closure(tuple(body.methods_called))
    if any(
        owner.python_field(name) not in body.fields
        for name, type_ in owner.fields.items()
        if resolved(type_) != PHANTOM
    ):
        raise HostError(
            new.function.name_span, "a `new` that ends in no struct literal", "write `Self { … }`"
        )
    arguments = tuple(
        Argument(name=parameter.name, annotation=annotation_of(type_, written.span))
        for parameter, type_, written in zip(
            function.parameters[1:], new.parameters, new.function.parameters, strict=True
        )
    )
    given = {it.name for it in arguments}
    return Constructor(
        function=_function(
            [(it.name, it.annotation) for it in arguments],
            function.body,
            docs=function.docs,
            span=function.span,
        ),
        arguments=arguments,
        kernels=tuple(body.constructed),
        stored={
            name: it.expression.text
            for name, it in body.fields.items()
            if isinstance(it.expression, Name) and it.expression.text in given
        },
        held=_held(body.fields),
        values={name: it.expression for name, it in body.fields.items()},
    )


def _of_fields(owner: Implementation, struct: syntax.Struct) -> Constructor:
    fields = [
        (owner.python_field(it.name), owner.fields[it.name], it)
        for it in struct.fields
        if it.name in owner.fields and resolved(owner.fields[it.name]) != PHANTOM
    ]
    arguments = tuple(
        Argument(name=name, annotation=annotation_of(type_, written.span))
        for name, type_, written in fields
    )
    return Constructor(
        function=_function(
            [(it.name, it.annotation) for it in arguments],
            Suite(
                statements=tuple(
                    Assignment(targets=(f"self.{it.name}",), value=Name(it.name))
                    for it in arguments
                )
            ),
        ),
        arguments=arguments,
        stored={it.name: it.name for it in arguments},
        held={},
        values={},
    )


def annotation_of(type_: HostType, span: Span) -> str:
    """The annotation of an argument, of the kinds that torch's operators take.

    Raises:
        HostError: it is of another kind.
    """
    match resolved(type_):
        case Option(element=element):
            return f"{annotation_of(element, span)} | None"
        case Scalar() as scalar if scalar == BOOL:
            return "bool"
        case Scalar() as scalar if scalar == TEXT:
            return "str"
        case Scalar() if is_integer(type_):
            return "int"
        case Scalar() if is_float(type_):
            return "float"
        case _:
            raise HostError(
                span,
                f"`{text_of(type_)}` as an argument of the constructor",
                "an operator takes numbers, `bool`, texts and options of them",
            )


def _held(fields: Mapping[str, Value]) -> dict[str, str]:
    return {
        name: type_.name
        for name, it in fields.items()
        if isinstance(type_ := resolved(it.type), Structure) and type_.is_kernel
    }


def _function(
    parameters: list[tuple[str, str]],
    body: Suite,
    docs: tuple[str, ...] = (),
    span: Span | None = None,
) -> Function:
    return Function(
        name="__init__",
        parameters=(
            Parameter(name="self"),
            *(Parameter(name=name, annotation=Name(kind)) for name, kind in parameters),
        ),
        docs=docs,
        body=body,
        returns=Name("None"),
        span=span,
    )


class _New(Body):
    """Lowers `new`: the struct that it ends in becomes assignments to the fields."""

    def __init__(self, owner: Implementation, new: Routine) -> None:
        super().__init__(owner, new, has_self=True)
        self.fields: dict[str, Value] = {}

    def tail(self, node: syntax.Expression, deliver: Deliver | None, trivia: Trivia) -> None:
        """Take the struct where `new` ends in one."""
        match node:
            case syntax.StructLiteral(base=None, path=path) if path.names in {
                ("Self",),
                (self.owner.name,),
            }:
                self._assign_fields(node, trivia)
            case _:
                super().tail(node, deliver, trivia)

    def _assign_fields(self, node: syntax.StructLiteral, trivia: Trivia) -> None:
        if self.fields:
            raise HostError(node.span, "a second struct in `new`", "make the struct in one place")
        leading = layout_of(trivia).comments
        for field in node.fields:
            type_ = self.owner.fields.get(field.name)
            if type_ is None or resolved(type_) == PHANTOM:
                continue
            value = self.value(field.value, type_)
            self.same(value.type, type_, field.span)
            name = self.owner.python_field(field.name)
            expression = self.plain(value, field.span)
            if field.name in self.owner.sizes:
                self.needs("_unsigned")
                expression = call("_unsigned", expression)
            self.fields[name] = value
            around = layout_of(field.trivia)
            self.statements.append(
                Assignment(
                    targets=(f"self.{name}",),
                    value=expression,
                    span=field.span,
                    comments=(*leading, *around.comments),
                    trailing=around.trailing,
                    blank_before=around.blank_before and not leading,
                )
            )
            leading = ()

"""Calls of operations: `T::op::<…>(…)` bound argument by argument to the op's row."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    UNIT,
    Bound,
    Descriptor,
    DType,
    DtypeParameter,
    ElementType,
    LiteralKind,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    Type,
)
from transpiler.ops.enums import ENUMS, REFUSED
from transpiler.ops.signature import Form, OpParameter, TupleKind, ValueKind
from transpiler.ops.table import OPS
from transpiler.passes.annotations import resolve_dtype
from transpiler.passes.argument_shapes import arguments_fit
from transpiler.passes.combine import in_combined_dtype
from transpiler.passes.compile_time import is_compile_time
from transpiler.passes.elaboration import is_poison, near_match
from transpiler.passes.result_shape import result_shape
from transpiler.syntax import nodes as syntax
from transpiler.syntax.text_literals import text_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.ops.model import Op
    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span
    from transpiler.syntax.base import Node

Elaborate: TypeAlias = "Callable[[syntax.Expression], ir.Expression]"
Combine: TypeAlias = "Callable[[syntax.Expression, ElementType], ir.Argument | None]"
"""The function that an expression names, as one that combines two values of a dtype; None where it is at fault."""


def bind_op_call(
    state: Elaboration,
    segment: syntax.PathSegment,
    arguments: tuple[syntax.Expression, ...],
    span: Span,
    elaborate: Elaborate,
    combine: Combine,
) -> ir.Expression:
    """The typed call of the operation `segment` names; every fault of it is reported."""
    op = OPS.get(segment.name)
    if op is None:
        for argument in arguments:
            if not _is_option_or_list(argument):
                elaborate(argument)
        state.sink.emit(
            "E0301",
            f"`{state.hardware}` has no operation `{segment.name}`",
            segment.span,
            help=near_match(segment.name, OPS),
        )
        return state.poison(span)
    return _Binding(state, op, elaborate, combine).call(segment, arguments, span)


def _is_option_or_list(argument: syntax.Expression) -> bool:
    match argument:
        case syntax.Reference() | syntax.BooleanLiteral() | syntax.TextLiteral():
            return True
        case syntax.PathExpression(path=path):
            return path.identifier == "None" or len(path.segments) > 1
        case syntax.Call(callee=syntax.PathExpression(path=path)):
            return path.identifier == "Some"
        case _:
            return False


class _Binding:
    """One call while its arguments are bound."""

    def __init__(self, state: Elaboration, op: Op, elaborate: Elaborate, combine: Combine) -> None:
        self._state = state
        self._op = op
        self._elaborate = elaborate
        self._combine = combine
        self._generics: dict[str, ElementType] = {
            name: state.solver.fresh(LiteralKind.ANY) for name, _ in op.parsed.generics
        }
        self._failed = False

    def call(
        self,
        segment: syntax.PathSegment,
        arguments: tuple[syntax.Expression, ...],
        span: Span,
    ) -> ir.Expression:
        state, signature = self._state, self._op.parsed
        self._bind_generics(segment)
        if len(arguments) != len(signature.parameters):
            self._report_count(segment, arguments, span)
            return state.poison(span)
        bound = tuple(
            self._argument(argument, parameter.kind, parameter.name)
            for argument, parameter in zip(arguments, signature.parameters, strict=True)
        )
        if self._failed or any(
            not isinstance(argument, ir.PLAIN_ARGUMENTS) and is_poison(argument)
            for argument in bound
        ):
            return state.poison(span)
        if self._op.combined is not None:
            bound = in_combined_dtype(state, self._generics[self._op.combined], bound)
        named = {
            parameter.name: argument
            for parameter, argument in zip(signature.parameters, bound, strict=True)
        }
        if not self._check_bounds(segment.span) or not arguments_fit(state, self._op, named):
            return state.poison(span)
        type_ = self._result_type(signature.result, named, span)
        if type_ is None:
            return state.poison(span)
        return ir.OpCall(
            span=span,
            type=type_,
            op=self._op,
            dtypes=tuple(self._generics.values()),
            arguments=bound,
        )

    def _fail(self, code: str, message: str, node: Node, advice: str | None = None) -> None:
        self._failed = True
        self._state.sink.emit(
            code, message, node.span, notes=(f"the operation is `{self._rust()}`",), help=advice
        )

    def _rust(self) -> str:
        return f"{self._state.hardware}::{self._op.name}{self._op.signature}"

    def _report_count(
        self,
        segment: syntax.PathSegment,
        arguments: tuple[syntax.Expression, ...],
        span: Span,
    ) -> None:
        parameters = self._op.parsed.parameters
        plural = "" if len(parameters) == 1 else "s"
        advice = None
        if len(arguments) < len(parameters):
            missing = ", ".join(f"`{p.name}`" for p in parameters[len(arguments) :])
            label = f"missing {missing}"
            advice = self._left_out(parameters[len(arguments) :], segment.name)
        else:
            label = f"{len(arguments) - len(parameters)} too many"
        self._state.sink.emit(
            "E0302",
            f"`{self._state.hardware}::{segment.name}` takes {len(parameters)} argument{plural}, "
            f"not {len(arguments)}",
            span,
            label=label,
            notes=(f"the operation is `{self._rust()}`",),
            help=advice,
        )

    def _left_out(self, missing: tuple[OpParameter, ...], name: str) -> str | None:
        """How to write that arguments are left out; None where one of them cannot be."""
        written = [_nothing(parameter.kind) for parameter in missing]
        if not all(written):
            return None
        return f"write `{self._state.hardware}::{name}(…, {', '.join(map(str, written))})`"

    def _bind_generics(self, segment: syntax.PathSegment) -> None:
        written = segment.generics or ()
        if not written:
            return
        if len(written) > len(self._generics):
            # Trailing const generics (the length of a boundary check) are inferred from the arguments in Rust as here.
            expected = len(self._generics)
            self._fail(
                "E0303",
                f"`{self._op.name}` takes {expected} generic argument{'' if expected == 1 else 's'}, "
                f"not {len(written)}",
                segment,
            )
            return
        for name, argument in zip(self._generics, written, strict=False):
            dtype = resolve_dtype(self._state, argument)
            if dtype is None:
                self._failed = True
            else:
                self._state.solver.unify(self._generics[name], dtype)

    # --- Arguments --------------------------------------------------------------------------------

    def _argument(self, node: syntax.Expression, kind: ValueKind, name: str) -> ir.Argument:
        while isinstance(node, syntax.Parenthesized):
            node = node.inner
        if not kind.is_optional:
            return self._plain_argument(node, kind, name)
        match node:
            case syntax.PathExpression(path=path) if path.names[-1] == "None":
                return ir.AbsentArgument(span=node.span)
            case syntax.Call(callee=syntax.PathExpression(path=path), arguments=(inner,)) if (
                path.names[-1] == "Some"
            ):
                return self._argument(
                    inner, ValueKind(form=kind.form, dtype=kind.dtype, enum=kind.enum), name
                )
            case _:
                self._fail(
                    "E0304",
                    f"argument `{name}` of `{self._op.name}` is an `Option`",
                    node,
                    "write `Some(…)`, or `None` to leave it out",
                )
                return ir.AbsentArgument(span=node.span)

    def _plain_argument(self, node: syntax.Expression, kind: ValueKind, name: str) -> ir.Argument:
        match kind.form:
            case Form.ENUM:
                return self._enum(node, kind.enum or "", name)
            case Form.FLAG:
                return self._flag(node, name)
            case Form.TEXT:
                return self._text(node, name)
            case Form.LIST | Form.CONSTANT_LIST:
                return self._list(node, kind, name)
            case Form.FUNCTION:
                return self._function(node, kind)
            case _:
                return self._value(node, kind, name)

    def _function(self, node: syntax.Expression, kind: ValueKind) -> ir.Argument:
        dtype = self._generics[kind.dtype] if isinstance(kind.dtype, str) else kind.dtype
        found = None if dtype is None else self._combine(node, dtype)
        if found is None:
            self._failed = True
            return ir.AbsentArgument(span=node.span)
        return found

    def _enum(self, node: syntax.Expression, enum: str, name: str) -> ir.Argument:
        members = ENUMS[enum]
        if isinstance(node, syntax.PathExpression) and len(node.path.segments) > 1:
            written_enum, member = node.path.names[-2:]
            written_enum = self._state.items.imported(written_enum)[-1]
            refused = REFUSED.get(self._op.name, {}).get(enum, frozenset())
            if written_enum == enum and member in refused:
                others = [f"`{enum}::{other}`" for other in members if other not in refused]
                if any(
                    it.name == name and it.kind.is_optional for it in self._op.parsed.parameters
                ):
                    others.append("`None`")
                self._fail(
                    "E0504",
                    f"`{self._op.name}` does not take `{enum}::{member}`",
                    node,
                    f"write one of {', '.join(others)}",
                )
                return ir.AbsentArgument(span=node.span)
            if written_enum == enum and member in members:
                return ir.EnumArgument(span=node.span, enum=enum, member=member)
            if written_enum == enum:
                self._fail(
                    "E0307",
                    f"`{enum}` has no member `{member}`",
                    node,
                    near_match(member, members) or f"the members are {', '.join(members)}",
                )
                return ir.AbsentArgument(span=node.span)
        self._fail(
            "E0304",
            f"argument `{name}` of `{self._op.name}` is a member of `{enum}`",
            node,
            f"write one of {', '.join(f'`{enum}::{member}`' for member in members)}",
        )
        return ir.AbsentArgument(span=node.span)

    def _flag(self, node: syntax.Expression, name: str) -> ir.Argument:
        if isinstance(node, syntax.BooleanLiteral):
            return ir.FlagArgument(span=node.span, value=node.value)
        if isinstance(node, syntax.PathExpression):
            value = self._elaborate(node)
            if is_poison(value):
                return value
            if is_compile_time(value, self._state.constants) and value.type == Scalar(
                dtype=DType.BOOL
            ):
                return value
        self._fail(
            "E0304",
            f"argument `{name}` of `{self._op.name}` is a compile-time flag",
            node,
            "write `true` or `false`",
        )
        return ir.AbsentArgument(span=node.span)

    def _text(self, node: syntax.Expression, name: str) -> ir.Argument:
        if isinstance(node, syntax.TextLiteral):
            value = text_value(node.text)
            if value is not None:
                return ir.TextArgument(span=node.span, value=value)
        self._fail("E0304", f"argument `{name}` of `{self._op.name}` is a string literal", node)
        return ir.AbsentArgument(span=node.span)

    def _list(self, node: syntax.Expression, kind: ValueKind, name: str) -> ir.Argument:
        array = node.operand if isinstance(node, syntax.Reference) else None
        if not isinstance(array, syntax.Array):
            self._fail(
                "E0304",
                f"argument `{name}` of `{self._op.name}` is a list",
                node,
                "write it out: `&[A, B]`",
            )
            return ir.AbsentArgument(span=node.span)
        form = Form.CONSTANT if kind.form is Form.CONSTANT_LIST else Form.SCALAR
        inner = ValueKind(form=form, dtype=kind.dtype)
        elements = tuple(self._value(element, inner, name) for element in array.elements)
        if is_poison(*elements):
            self._failed = True
        return ir.ListArgument(span=node.span, elements=elements)

    def _value(self, node: syntax.Expression, kind: ValueKind, name: str) -> ir.Expression:
        state = self._state
        value = self._elaborate(node)
        if is_poison(value):
            return value
        if not self._has_form(value, kind.form):
            self._fail(
                "E0404",
                f"argument `{name}` of `{self._op.name}` is {_FORM_WORDS[kind.form]}, "
                f"not `{state.text(value.type)}`",
                node,
                _form_help(kind.form, state.type_of(value), state.hardware),
            )
            return state.poison(node.span)
        if kind.form is Form.CONSTANT and not is_compile_time(value, state.constants):
            self._fail(
                "E0501",
                f"argument `{name}` of `{self._op.name}` must be known at compile time",
                node,
                "use a literal, a const generic, or what is computed from them",
            )
            return state.poison(node.span)
        return self._check_dtype(value, kind, name)

    def _check_dtype(self, value: ir.Expression, kind: ValueKind, name: str) -> ir.Expression:
        state = self._state
        if kind.dtype is DType.BOOL:
            type_ = state.type_of(value)
            if isinstance(type_, Tensor) and not state.solver.unify(type_.dtype, DType.BOOL):
                self._failed = True
                state.sink.emit(
                    "E0305",
                    f"argument `{name}` of `{self._op.name}` is a mask of bool, "
                    f"not `{state.text(type_)}`",
                    value.span,
                    help="make a mask by a comparison, as in `offsets.lt(n)`",
                )
                return state.poison(value.span)
            return value
        if kind.dtype is None:
            return value
        expected = self._generics[kind.dtype] if isinstance(kind.dtype, str) else kind.dtype
        if not state.unify_dtype(value, expected, what=f"argument `{name}` of `{self._op.name}`"):
            self._failed = True
            return state.poison(value.span)
        return value

    def _has_form(self, value: ir.Expression, form: Form) -> bool:
        type_ = self._state.type_of(value)
        match form:
            case Form.TENSOR:
                return isinstance(type_, Tensor)
            case Form.POINTERS:
                is_tiled = isinstance(type_, Descriptor) and self._op.name in _TILED
                return isinstance(type_, PointerTensor) or is_tiled
            case Form.POINTER:
                return isinstance(type_, Pointer)
            case Form.DESCRIPTOR:
                return isinstance(type_, Descriptor)
            case _:
                return isinstance(type_, Scalar)

    # --- The whole call ---------------------------------------------------------------------------

    def _check_bounds(self, span: Span) -> bool:
        for name, bound in self._op.parsed.generics:
            dtype = self._state.solver.resolve(self._generics[name])
            limit = self._op.dtypes.get(name)
            match dtype:
                case DType():
                    allowed = dtype in bound.dtypes and (limit is None or dtype in limit)
                case DtypeParameter():
                    allowed = dtype.name in self._state.unbounded or (
                        set(dtype.bound.dtypes) <= set(bound.dtypes)
                    )
                case _:
                    allowed = True
            if not allowed:
                admitted = [d for d in bound.dtypes if limit is None or d in limit]
                text = self._state.text(Scalar(dtype=dtype))
                names = ", ".join(d.value for d in admitted)
                if isinstance(dtype, DtypeParameter):
                    fault = f"`{text}` may be another dtype"
                    advice = f"bound `{text}` by `{_narrowest(bound, dtype.bound)}`"
                else:
                    fault = f"this is `{text}`"
                    advice = (
                        f"convert it: `{self._state.hardware}::cast::<{text}, {admitted[0].value}>"
                        "(…, None, false)`"
                    )
                self._state.sink.emit(
                    "E0504",
                    f"`{self._op.name}` is defined for {names}; {fault}",
                    span,
                    notes=(f"the operation is `{self._rust()}`",),
                    help=advice,
                )
                return False
        return True

    def _result_type(
        self, kind: ValueKind | TupleKind, named: dict[str, ir.Argument], span: Span
    ) -> Type | None:
        if isinstance(kind, TupleKind):
            if not kind.elements:
                return UNIT
            elements: list[Type] = []
            for element in kind.elements:
                type_ = self._result_type(element, named, span)
                if type_ is None:
                    return None
                elements.append(type_)
            return TupleType(elements=tuple(elements))
        dtype = self._generics[kind.dtype] if isinstance(kind.dtype, str) else kind.dtype
        if dtype is None:
            return UNIT
        if kind.form is Form.SCALAR:
            return Scalar(dtype=dtype)
        shape = result_shape(self._state, self._op, named, span)
        if shape is None:
            return None
        return (
            Descriptor(dtype=dtype, shape=shape)
            if kind.form is Form.DESCRIPTOR
            else Tensor(dtype=dtype, shape=shape)
        )


# These take a block pointer as well.
_TILED = frozenset({"load", "store"})

_FORM_WORDS = {
    Form.TENSOR: "a tensor",
    Form.POINTERS: "a tensor of pointers",
    Form.POINTER: "a pointer",
    Form.DESCRIPTOR: "a tensor descriptor",
    Form.SCALAR: "a scalar",
    Form.CONSTANT: "a scalar known at compile time",
}


def _form_help(form: Form, found: Type, hardware: str) -> str | None:
    match form, found:
        case Form.POINTERS, Pointer():
            return "make a tensor of pointers with `.add_offsets(…)`"
        case Form.TENSOR, Scalar():
            return f"make a tensor of it with `{hardware}::full(&[…], …)`"
        case _:
            return None


def _narrowest(first: Bound, second: Bound) -> str:
    both = set(first.dtypes) & set(second.dtypes)
    return next(
        (b.value for b in (Bound.FLOAT, Bound.INT, Bound.BOOL) if set(b.dtypes) == both),
        first.value,
    )


def _nothing(kind: ValueKind) -> str | None:
    """How an argument of a kind is left out in Rust."""
    if kind.is_optional:
        return "None"
    match kind.form:
        case Form.LIST | Form.CONSTANT_LIST:
            return "&[]"
        case Form.FLAG:
            return "false"
        case _:
            return None

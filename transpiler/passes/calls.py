"""Calls of the file's own functions: the function's body takes the place of the call.

Each call is elaborated anew with the types of its arguments, so a function is as generic as Rust makes it: over dtypes,
constants and, which Rust does not write, over shapes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    F64,
    POISON,
    UNIT,
    Bound,
    DType,
    DtypeParameter,
    DtypeVariable,
    LiteralKind,
    Poison,
    Scalar,
    Tensor,
    Unit,
)
from transpiler.passes.annotations import check_annotation, resolve_dtype, resolve_type
from transpiler.passes.bounds import parameter_bounds
from transpiler.passes.compile_time import is_compile_time, may_be_constant
from transpiler.passes.elaboration import is_poison, near_match
from transpiler.passes.scope import Scopes
from transpiler.syntax import nodes as syntax
from transpiler.syntax.hygiene import ROOT_CONTEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.types import ElementType, Type
    from transpiler.passes.elaboration import Elaboration
    from transpiler.passes.items import Namespace
    from transpiler.source import Span

_HARDWARE_BOUND = "Triton"
_BOUNDS = {bound.value: bound for bound in Bound}


class Elaborator(Protocol):
    """What elaborates the expressions of a body."""

    state: Elaboration

    def expression(self, node: syntax.Expression) -> ir.Expression:
        """The typed form of an expression."""
        ...

    def block_value(self, block: syntax.Block) -> ir.BlockValue:
        """The typed form of a block used as a value."""
        ...


def expand_call(
    elaborator: Elaborator, node: syntax.Call, function: syntax.Function, home: Namespace
) -> ir.Expression:
    """The value of a call of `function`, which stands in `home`."""
    state = elaborator.state
    arguments = [elaborator.expression(argument) for argument in node.arguments]
    if function.span.start in state.callers:
        state.sink.emit(
            "E0602",
            f"the function `{function.name}` calls itself",
            node.span,
            help="write it with a loop",
        )
        return state.poison(node.span)
    body = function.body
    if not isinstance(body, syntax.Block) or function.receiver is not None:
        return state.unsupported(f"the function `{function.name}`", node.span)
    if len(arguments) != len(function.parameters):
        count = len(function.parameters)
        state.sink.emit(
            "E0302",
            f"`{function.name}` takes {count} argument{'' if count == 1 else 's'}, not {len(arguments)}",
            node.span,
        )
        return state.poison(node.span)
    if is_poison(*arguments):
        return state.poison(node.span)
    return _Expansion(elaborator, node, function, home).run(body, arguments)


def dtype_function(elaborator: Elaborator, node: syntax.Call, path: syntax.Path) -> ir.Expression:
    """A call of a function of a dtype parameter: `D::from_f64(x)`."""
    state = elaborator.state
    name = path.names[0]
    dtype = state.dtype_parameters[name]
    if path.names[1] != "from_f64":
        state.sink.emit(
            "E0201",
            f"`{name}` has no function `{path.names[1]}`",
            path.span,
            help=near_match(path.names[1], ("from_f64",)),
        )
        return state.poison(node.span)
    if len(node.arguments) != 1:
        state.sink.emit(
            "E0302",
            f"`{name}::from_f64` takes 1 argument, not {len(node.arguments)}",
            node.span,
        )
        return state.poison(node.span)
    operand = elaborator.expression(node.arguments[0])
    if is_poison(operand):
        return state.poison(node.span)
    type_ = state.type_of(operand)
    if not isinstance(type_, Scalar) or not state.solver.unify(type_.dtype, F64.dtype):
        state.sink.emit(
            "E0401",
            f"`{name}::from_f64` takes an `f64`, not `{state.text(type_)}`",
            operand.span,
            help="convert it with `as f64`" if isinstance(type_, Scalar) else None,
        )
        return state.poison(node.span)
    return ir.Cast(
        span=node.span, type=Scalar(dtype=dtype), operand=operand, kind=ir.CastKind.FROM_F64
    )


class _Expansion:
    """One call."""

    def __init__(
        self, elaborator: Elaborator, node: syntax.Call, function: syntax.Function, home: Namespace
    ) -> None:
        self._elaborator = elaborator
        self._state = elaborator.state
        self._node = node
        self._function = function
        self._home = home
        self._statements: list[ir.Statement] = []
        self._scopes = Scopes(self._state.scopes.hygiene)
        self._errors_before = self._state.sink.error_count

    def run(self, body: syntax.Block, arguments: list[ir.Expression]) -> ir.Expression:
        state, function = self._state, self._function
        dtypes, hardware = self._generics()
        if state.sink.error_count > self._errors_before:
            return state.poison(self._node.span)
        outer = (state.hardware, state.dtype_parameters, state.scopes, state.items, state.callers)
        state.hardware, state.dtype_parameters, state.items = hardware, dtypes, self._home
        state.scopes = self._scopes
        state.callers = (*state.callers, function.span.start)
        state.enter(self._node.span, levels=4)
        try:
            for parameter, argument in zip(function.parameters, arguments, strict=True):
                self._argument(parameter, argument)
            if state.sink.error_count > self._errors_before:
                return state.poison(self._node.span)
            self._check_bounds(dtypes)
            state.dtype_parameters = {
                name: state.solver.resolve(dtype) for name, dtype in dtypes.items()
            }
            returned = UNIT if function.return_type is None else self._type(function.return_type)
            value = self._elaborator.block_value(_without_last_return(body))
            if not self._returns(value, returned):
                return state.poison(self._node.span)
        finally:
            state.leave(levels=4)
            (state.hardware, state.dtype_parameters, state.scopes, state.items, state.callers) = (
                outer
            )
        statements = (*self._statements, *value.statements)
        if not statements and not isinstance(value.type, Unit):
            return value.value
        return replace(value, span=self._node.span, statements=statements)

    def _type(self, written: syntax.Type) -> Type:
        if isinstance(written, syntax.TupleType) and not written.elements:
            return UNIT
        return resolve_type(self._state, written)

    def _generics(self) -> tuple[dict[str, ElementType], str]:
        """What the generics of this call are; the constants are declared."""
        state, function = self._state, self._function
        bounds = parameter_bounds(function)
        parameters = [
            parameter
            for parameter in function.generics
            if not isinstance(parameter, syntax.LifetimeParameter)
        ]
        written = iter(self._written(len(parameters)))
        dtypes: dict[str, ElementType] = {}
        hardware = ""
        for parameter in parameters:
            argument = next(written, None)
            match parameter:
                case syntax.TypeParameter(name=name) if _HARDWARE_BOUND in bounds[name]:
                    hardware = name
                case syntax.TypeParameter(name=name):
                    dtype = None if argument is None else resolve_dtype(state, argument)
                    dtypes[name] = dtype or state.solver.fresh(LiteralKind.ANY)
                case syntax.ConstParameter():
                    self._constant(parameter, argument)
        return dtypes, hardware

    def _written(self, count: int) -> Iterator[syntax.GenericArgument]:
        callee = self._node.callee
        generics = (
            callee.path.segments[-1].generics if isinstance(callee, syntax.PathExpression) else None
        )
        if generics is not None and len(generics) > count:
            self._state.sink.emit(
                "E0302",
                f"`{self._function.name}` has {count} generic parameters, not {len(generics)}",
                callee.span,
            )
        yield from generics or ()

    def _constant(
        self, parameter: syntax.ConstParameter, argument: syntax.GenericArgument | None
    ) -> None:
        state = self._state
        match argument:
            case syntax.ConstArgument(value=value):
                given: ir.Expression | None = self._elaborator.expression(value)
            case syntax.PathType(path=path, span=span):
                given = self._elaborator.expression(syntax.PathExpression(span=span, path=path))
            case _:
                given = None
        if given is None:
            state.sink.emit(
                "E0302",
                f"the constant `{parameter.name}` of `{self._function.name}` is not given",
                self._node.span,
                help=f"write it: `{self._function.name}::<…>(…)`",
            )
            return
        annotation = resolve_type(state, parameter.type)
        if isinstance(given, ir.BlockValue) and not given.statements:
            given = given.value  # the braces of `{ N + 1 }`
        if not is_poison(given):
            self._bind(parameter.name, given, annotation, parameter.span)
            symbol = self._scopes.find(parameter.name)
            if symbol is not None:
                self._scopes.declare_generic(parameter.name, symbol)

    def _argument(self, parameter: syntax.Parameter, argument: ir.Expression) -> None:
        match parameter.pattern:
            case syntax.IdentifierPattern(is_reference=False) as pattern:
                annotation = self._type(parameter.type)
                self._bind(
                    pattern.name,
                    argument,
                    annotation,
                    pattern.span,
                    is_mutable=pattern.is_mutable,
                    context=pattern.context,
                )
            case syntax.WildcardPattern():
                check_annotation(self._state, self._type(parameter.type), argument.type)
                self._statements.append(ir.Evaluate(span=argument.span, value=argument))
            case _:
                self._state.unsupported("this pattern in a parameter", parameter.pattern.span)

    def _bind(
        self,
        name: str,
        value: ir.Expression,
        annotation: Type,
        span: Span,
        *,
        is_mutable: bool = False,
        context: int = ROOT_CONTEXT,
    ) -> None:
        state = self._state
        if not check_annotation(state, annotation, state.type_of(value)):
            state.sink.emit(
                "E0401",
                f"`{name}` of `{self._function.name}` is {_annotation_text(state, annotation)}, "
                f"not `{state.text(value.type)}`",
                value.span,
            )
            return
        if isinstance(value, ir.Read) and not value.symbol.is_mutable and not is_mutable:
            # Another name for what the caller has.
            self._scopes.rename(name, value.symbol, context)
            return
        symbol = state.symbol(
            name,
            ir.SymbolKind.LOCAL,
            state.type_of(value) if not isinstance(annotation, Poison) else POISON,
            span,
            is_mutable=is_mutable,
        )
        self._scopes.declare(symbol, context)
        if (
            not is_mutable
            and may_be_constant(symbol.type)
            and is_compile_time(value, state.constants)
        ):
            state.constants[symbol] = value
        self._statements.append(ir.Let(span=value.span, symbol=symbol, value=value))

    def _check_bounds(self, dtypes: dict[str, ElementType]) -> None:
        """Report a dtype that the bound of the function's parameter does not admit."""
        bounds = parameter_bounds(self._function)
        for name, dtype in dtypes.items():
            known = [_BOUNDS[bound] for bound in bounds[name] if bound in _BOUNDS]
            admitted = {each for bound in known for each in bound.dtypes}
            match self._state.solver.resolve(dtype):
                case DType() as concrete:
                    given = {concrete}
                case DtypeParameter() as parameter:
                    given = set(parameter.bound.dtypes)
                case DtypeVariable():
                    continue
            if known and not given <= admitted:
                self._state.sink.emit(
                    "E0504",
                    f"`{name}` of `{self._function.name}` is bounded by "
                    f"{' + '.join(f'`{bound.value}`' for bound in known)}, which does not admit "
                    f"every dtype of this call",
                    self._node.span,
                )

    def _returns(self, value: ir.BlockValue, returned: Type) -> bool:
        state = self._state
        if is_poison(value) or state.sink.error_count > self._errors_before:
            return False
        is_nothing = isinstance(returned, Unit) and isinstance(value.type, Unit)
        if is_nothing or check_annotation(state, returned, state.type_of(value)):
            return True
        state.sink.emit(
            "E0401",
            f"`{self._function.name}` returns {_annotation_text(state, returned)}, and its value "
            f"is `{state.text(value.type)}`",
            value.value.span,
        )
        return False


def _without_last_return(body: syntax.Block) -> syntax.Block:
    """The body with `return x` at its end as the value it gives."""
    match body.tail:
        case syntax.Return(value=value):
            return replace(body, tail=value)
        case None:
            pass
        case _:
            return body
    match body.statements[-1:]:
        case (syntax.ExpressionStatement(expression=syntax.Return(value=value), trivia=trivia),):
            return replace(body, statements=body.statements[:-1], tail=value, tail_trivia=trivia)
        case _:
            return body


def _annotation_text(state: Elaboration, annotation: Type) -> str:
    text = state.text(annotation)
    if isinstance(annotation, Tensor):
        return f"a tensor of `{text.removesuffix('[?]')}`"
    return f"`{text}`"

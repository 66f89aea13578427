"""Elaboration of the functions that kernels call: once for each shape of call that makes a difference.

Rust checks a generic function by its bounds alone, whatever it is called with, and so does this. Only shapes, which
Rust does not write, come from the call: inside a function they are named as its caller names them, and a const generic
of the function is the dimension it was given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, NEVER, POISON, UNIT, Never, Poison, Tensor, Type, Unit
from transpiler.ir.visit import Rewriter, walk_block, walk_expression, walk_statements
from transpiler.ops.model import Effect
from transpiler.ops.signature import Form
from transpiler.passes.annotations import check_annotation, resolve_type
from transpiler.passes.bounds import (
    HARDWARE_BOUND,
    dtype_parameters_of,
    parameter_bounds,
    unbounded,
)
from transpiler.passes.check import check_block
from transpiler.passes.compile_time import dimension_of
from transpiler.passes.elaboration import Elaboration, OpenFunction, OpenLoop
from transpiler.passes.function_table import CallShape, Instance, Signature
from transpiler.passes.layout import closing_lines, layout_of
from transpiler.passes.merging import merge_types
from transpiler.passes.scalars import check_conversions
from transpiler.passes.scope import Scopes
from transpiler.passes.settle import settle_kernel
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.types import Dimension
    from transpiler.passes.items import Namespace
    from transpiler.source import Span

_EXIT = 1
"""The number of the labelled block that a `return` before the end of a function leaves."""


class Elaborator(Protocol):
    """What elaborates the expressions of a body."""

    state: Elaboration

    def under(self, state: Elaboration) -> Elaborator:
        """What elaborates another body, with its own state."""
        ...

    def expression(self, node: syntax.Expression) -> ir.Expression:
        """The typed form of an expression."""
        ...

    def block_value(self, block: syntax.Block) -> ir.BlockValue:
        """The typed form of a block used as a value."""
        ...


# --- Signatures -----------------------------------------------------------------------------------


def signature_of(
    state: Elaboration, function: syntax.Function, home: Namespace, span: Span
) -> Signature | None:
    """The signature of a function called at `span`; None, reported where it stands, where it is at fault."""
    known = state.functions.signatures
    key = function.span.start
    if key not in known:
        known[key] = _signature(state, function, home, span)
    return known[key]


def _signature(
    state: Elaboration, function: syntax.Function, home: Namespace, span: Span
) -> Signature | None:
    body = function.body
    if not isinstance(body, syntax.Block) or function.receiver is not None:
        state.unsupported(f"the function `{function.name}`", span)
        return None
    errors_before = state.sink.error_count
    bounds = parameter_bounds(function)
    hardware = next((name for name in bounds if HARDWARE_BOUND in bounds[name]), "")
    dtypes = dtype_parameters_of(function, hardware, bounds, state.sink)
    inner = Elaboration(sink=state.sink, hardware=hardware, dtype_parameters=dtypes, items=home)
    signature = Signature(
        function=function,
        body=body,
        home=home,
        hardware=hardware,
        dtype_parameters=dtypes,
        unbounded=unbounded(bounds),
        generics=tuple(
            parameter
            for parameter in function.generics
            if not isinstance(parameter, syntax.LifetimeParameter)
        ),
        parameters=tuple(_type(inner, parameter.type) for parameter in function.parameters),
        result=UNIT if function.return_type is None else _type(inner, function.return_type),
    )
    for parameter in function.parameters:
        match parameter.pattern:
            case syntax.IdentifierPattern(is_reference=False) | syntax.WildcardPattern():
                pass
            case _:
                state.unsupported("this pattern in a parameter", parameter.pattern.span)
    return None if state.sink.error_count > errors_before else signature


def _type(state: Elaboration, written: syntax.Type) -> Type:
    if isinstance(written, syntax.TupleType) and not written.elements:
        return UNIT
    return resolve_type(state, written)


# --- Instances ------------------------------------------------------------------------------------


def instance_of(
    elaborator: Elaborator,
    signature: Signature,
    shape: CallShape,
    constants: tuple[ir.Expression, ...],
    arguments: tuple[ir.Expression, ...],
    span: Span,
) -> Instance | None:
    """The function for a call of this shape; None where it is at fault, which is reported once.

    `constants` and `arguments` are what the call gives, in the terms of the caller.
    """
    instances = elaborator.state.functions.instances.setdefault(signature.key, [])
    if instances is None:
        return None
    for instance in instances:
        if instance.serves(shape):
            return instance
    function = _elaborated(elaborator, signature, shape, constants, arguments, span)
    if function is None:
        elaborator.state.functions.instances[signature.key] = None
        return None
    instance = Instance(function=function, shape=shape)
    instances.append(instance)
    return instance


def _elaborated(
    elaborator: Elaborator,
    signature: Signature,
    shape: CallShape,
    constants: tuple[ir.Expression, ...],
    arguments: tuple[ir.Expression, ...],
    span: Span,
) -> ir.Function | None:
    caller, function = elaborator.state, signature.function
    errors_before = caller.sink.error_count
    exit_ = OpenLoop(id=_EXIT, label=None, takes_values=True, is_block=True)
    opened = OpenFunction(name=function.name, declared=signature.result, exit=exit_)
    state = Elaboration(
        sink=caller.sink,
        hardware=signature.hardware,
        dtype_parameters=signature.dtype_parameters,
        items=signature.home,
        features=caller.features,
        callers=(*caller.callers, signature.key),
        functions=caller.functions,
        function=opened,
        # The values of its constants are expressions of the caller: no symbol of one may be one of the other.
        constants=dict(caller.constants),
        scopes=Scopes(caller.scopes.hygiene),
        symbol_count=caller.symbol_count,
        unbounded=signature.unbounded,
        loop_count=_EXIT,
    )
    state.enter(span, levels=caller.depth + 4)
    const_generics = tuple(_const_generics(state, signature, constants))
    parameters = tuple(_parameters(state, signature, shape, arguments))
    body = _body(elaborator.under(state), signature, opened)
    if caller.sink.error_count > errors_before or opened.type is None:
        check_block(body, caller.sink)
        return None
    check_conversions(state)
    caller.functions.count += 1
    symbol = ir.FunctionSymbol(
        id=caller.functions.count,
        name=function.name,
        effects=frozenset(),
        constants=frozenset(),
        extents=frozenset(),
    )
    settled = settle_kernel(
        ir.Function(
            span=function.span,
            name=function.name,
            name_span=function.name_span,
            docs=function.head.docs,
            dtype_parameters=tuple(signature.dtype_parameters.values()),
            const_generics=const_generics,
            parameters=parameters,
            body=body,
            symbol=symbol,
            result=state.solver.resolve_type(opened.type),
            given=shape.constants,
            is_combine=shape.is_combine,
        ),
        state.solver,
        caller.sink,
    )
    if caller.sink.error_count > errors_before:
        return None
    return _completed(settled, shape, state.constants)


def _const_generics(
    state: Elaboration, signature: Signature, values: tuple[ir.Expression, ...]
) -> Iterable[ir.Symbol]:
    parameters = [it for it in signature.generics if isinstance(it, syntax.ConstParameter)]
    for parameter, value in zip(parameters, values, strict=True):
        type_ = resolve_type(state, parameter.type)
        symbol = state.symbol(parameter.name, ir.SymbolKind.CONST_GENERIC, type_, parameter.span)
        state.scopes.declare_generic(symbol.name, symbol)
        state.constants[symbol] = value
        yield symbol


def _parameters(
    state: Elaboration,
    signature: Signature,
    shape: CallShape,
    arguments: tuple[ir.Expression, ...],
) -> Iterable[ir.Symbol]:
    for place, parameter in enumerate(signature.function.parameters):
        pattern = parameter.pattern
        name, is_mutable = f"_{place}", False
        if isinstance(pattern, syntax.IdentifierPattern):
            name, is_mutable = pattern.name, pattern.is_mutable
        symbol = state.symbol(
            name,
            ir.SymbolKind.PARAMETER,
            shape.parameters[place],
            pattern.span,
            is_mutable=is_mutable,
        )
        if isinstance(pattern, syntax.IdentifierPattern):
            state.scopes.declare(symbol, pattern.context)
        if place in shape.known and not symbol.is_mutable:
            state.constants[symbol] = arguments[place]
        yield symbol


def _body(elaborator: Elaborator, signature: Signature, function: OpenFunction) -> ir.Block:
    """The body as statements the last of which returns the value, if there is any."""
    state = elaborator.state
    body = _without_last_return(signature.body)
    value = elaborator.block_value(body)
    layout = layout_of(body.tail_trivia)
    ends = not isinstance(value.type, Never)
    statements: tuple[ir.Statement, ...] = value.statements
    result: ir.Expression | None = None
    if ends and accept_result(state, function, value.value, value.value.span):
        result = value.value
    has_value = not isinstance(function.type, Unit | None)
    if function.exit.has_break and function.type is not None:
        symbol = None
        if has_value:
            symbol = state.symbol(
                "result", ir.SymbolKind.LOCAL, function.type, body.span, is_mutable=True
            )
        if result is not None and symbol is not None:
            last = ir.Assign(span=result.span, symbol=symbol, value=result, layout=layout)
            statements = (*statements, last)
        elif result is not None:
            statements = (*statements, *_effect(result, layout))
        once = ir.While(
            span=body.span,
            condition=ir.Literal(span=body.span, type=BOOL, value=True),
            body=ir.Block(span=body.span, statements=statements),
            loop=_EXIT,
            result=symbol,
            is_once=True,
        )
        statements, result, layout = (once,), None, ir.PLAIN
        if symbol is not None:
            statements = (ir.Declare(span=body.span, symbol=symbol), once)
            result = ir.Read(span=body.span, type=symbol.type, symbol=symbol)
    elif result is not None and not has_value:
        statements = (*statements, *_effect(result, layout))
    if result is not None and has_value:
        statements = (*statements, ir.Return(span=result.span, layout=layout, value=result))
    return ir.Block(
        span=body.span,
        statements=statements,
        closing_comments=closing_lines(body.closing_comments),
    )


def _effect(value: ir.Expression, layout: ir.Layout) -> tuple[ir.Statement, ...]:
    """The statements that a tail without a value is."""
    match value:
        case ir.TupleValue(elements=()):
            return ()
        case ir.BlockValue():
            return (*value.statements, *_effect(value.value, ir.PLAIN))
        case _:
            return (ir.Evaluate(span=value.span, layout=layout, value=value),)


def accept_result(
    state: Elaboration, function: OpenFunction, value: ir.Expression | None, span: Span
) -> bool:
    """Take down one more value a function returns; False, reported, where it is of another type than declared."""
    type_ = UNIT if value is None else state.type_of(value)
    if isinstance(type_, Poison):
        function.type = function.type or POISON
        return False
    declared = function.declared
    is_nothing = isinstance(declared, Unit) and isinstance(type_, Unit)
    if not is_nothing and not check_annotation(state, declared, type_):
        state.sink.emit(
            "E0401",
            f"`{function.name}` returns {annotation_text(state, declared)}, and its value "
            f"is `{state.text(type_)}`",
            span,
        )
        return False
    type_ = state.solver.resolve_type(type_)
    merged = type_ if function.type is None else merge_types(state, function.type, type_)
    if merged is None:
        state.sink.emit(
            "E0402",
            f"`{function.name}` returns `{state.text(type_)}` here and "
            f"`{state.text(function.type or NEVER)}` elsewhere",
            span,
            help="a function has one shape of result",
        )
        return False
    function.type = merged
    return True


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


def annotation_text(state: Elaboration, annotation: Type) -> str:
    """A type without shapes, for a message."""
    text = state.text(annotation)
    if isinstance(annotation, Tensor):
        return f"a tensor of `{text.removesuffix('[?]')}`"
    return f"`{text}`"


# --- What a function is from outside --------------------------------------------------------------


def _completed(
    function: ir.Function,
    shape: CallShape,
    constants: dict[ir.Symbol, ir.Expression | None],
) -> ir.Function:
    """The function with a symbol that tells what its callers have to know."""
    wanted = _wanted(function.body)
    places = frozenset(place for place in shape.known if function.parameters[place] in wanted)
    symbol = replace(
        function.symbol,
        effects=_effects(function.body),
        constants=places,
        extents=_extents(function, constants),
    )
    function = replace(function, symbol=symbol)
    if not places:
        return function
    known = {function.parameters[place] for place in places}
    renewed = _CompileTime(known).kernel(function)
    return replace(
        renewed,
        parameters=tuple(
            _compile_time(parameter) if parameter in known else parameter
            for parameter in function.parameters
        ),
    )


class _CompileTime(Rewriter):
    """Gives symbols the kind of what is known at compile time."""

    def __init__(self, known: set[ir.Symbol]) -> None:
        self._known = known

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        return _compile_time(symbol) if symbol in self._known else symbol


def _compile_time(symbol: ir.Symbol) -> ir.Symbol:
    return replace(symbol, kind=ir.SymbolKind.CONST_GENERIC)


def _wanted(body: ir.Block) -> set[ir.Symbol]:
    """The symbols whose values must be known at compile time, and those they are computed from."""
    pending: list[ir.Expression] = []
    for node in walk_block(body):
        match node:
            case ir.OpCall():
                for parameter, argument in zip(
                    node.op.parsed.parameters, node.arguments, strict=True
                ):
                    if parameter.kind.form in _COMPILE_TIME_FORMS:
                        pending.extend(_values(argument))
            case ir.Call(function=function):
                pending.extend(node.constants)
                pending.extend(node.arguments[place] for place in function.constants)
            case _:
                pass
    values = {
        statement.symbol: statement.value
        for statement in walk_statements(body)
        if isinstance(statement, ir.Let) and not statement.symbol.is_mutable
    }
    found: set[ir.Symbol] = set()
    while pending:
        for symbol in _reads(pending.pop()):
            if symbol not in found:
                found.add(symbol)
                if symbol in values:
                    pending.append(values[symbol])
    return found


_COMPILE_TIME_FORMS = frozenset({Form.CONSTANT, Form.CONSTANT_LIST, Form.FLAG})


def _values(argument: ir.Argument) -> tuple[ir.Expression, ...]:
    if isinstance(argument, ir.ListArgument):
        return argument.elements
    return () if isinstance(argument, ir.PLAIN_ARGUMENTS) else (argument,)


def _reads(expression: ir.Expression) -> Iterable[ir.Symbol]:
    return [node.symbol for node in walk_expression(expression) if isinstance(node, ir.Read)]


def _effects(body: ir.Block) -> frozenset[Effect]:
    found: set[Effect] = set()
    for node in walk_block(body):
        if isinstance(node, ir.OpCall):
            found.add(node.op.effect)
        elif isinstance(node, ir.Call):
            found |= node.function.effects
    return frozenset(found - {Effect.PURE})


def _extents(
    function: ir.Function, constants: dict[ir.Symbol, ir.Expression | None]
) -> frozenset[int]:
    made: set[Dimension] = set()
    for node in walk_block(function.body):
        if isinstance(node.type, Tensor):
            made.update(node.type.shape)
    return frozenset(
        place
        for place, symbol in enumerate(function.const_generics)
        if dimension_of(ir.Read(span=symbol.span, type=symbol.type, symbol=symbol), constants)
        in made
    )

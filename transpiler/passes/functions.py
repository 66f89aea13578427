"""Elaboration of the functions that kernels call: once for each shape of call that makes a difference.

Rust checks a generic function by its bounds alone, whatever it is called with, and so does this. Only shapes, which
Rust does not write, come from the call: inside a function they are named as its caller names them, and a const generic
of the function is the dimension it was given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from transpiler.diagnostics.model import Label
from transpiler.diagnostics.sink import Sink
from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, NEVER, POISON, UNIT, Never, Poison, Tensor, Type, Unit
from transpiler.passes.advice import conversion_help
from transpiler.passes.annotations import check_annotation, resolve_type
from transpiler.passes.bounds import (
    HARDWARE_BOUND,
    dtype_parameters_of,
    parameter_bounds,
    unbounded,
)
from transpiler.passes.check import check_block
from transpiler.passes.elaboration import Elaboration, OpenFunction, OpenLoop
from transpiler.passes.function_facts import with_facts
from transpiler.passes.function_table import CallShape, Instance, Signature
from transpiler.passes.layout import closing_lines, layout_of
from transpiler.passes.merging import merge_types
from transpiler.passes.scalars import check_conversions
from transpiler.passes.scope import Scopes
from transpiler.passes.settle import settle_kernel
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.diagnostics.model import Diagnostic
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
    if isinstance(body, syntax.OpaqueBody) and body.fault is not None:
        state.sink.add(body.fault)
        return None
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
    sink = Sink()
    function = _elaborated(elaborator, signature, shape, constants, arguments, span, sink)
    for found in sink.diagnostics:
        elaborator.state.sink.add(_with_call(found, span))
    if function is None:
        elaborator.state.functions.instances[signature.key] = None
        return None
    instance = Instance(function=function, shape=shape)
    instances.append(instance)
    return instance


_OF_CALLS = frozenset({"E0402", "E0501", "E0502", "E0503"})
"""What is wrong with shapes and compile-time values: of these a function may have other ones in other calls."""


def _with_call(found: Diagnostic, span: Span) -> Diagnostic:
    if found.code not in _OF_CALLS:
        return found
    return replace(found, related=(*found.related, Label(span=span, message="in this call")))


def _elaborated(
    elaborator: Elaborator,
    signature: Signature,
    shape: CallShape,
    constants: tuple[ir.Expression, ...],
    arguments: tuple[ir.Expression, ...],
    span: Span,
    sink: Sink,
) -> ir.Function | None:
    caller, function = elaborator.state, signature.function
    exit_ = OpenLoop(id=_EXIT, label=None, takes_values=True, is_block=True)
    opened = OpenFunction(name=function.name, declared=signature.result, exit=exit_)
    state = Elaboration(
        sink=sink,
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
    if not sink.has_errors and opened.type is None:
        state.unsupported("a function that never returns", function.name_span)
    if sink.has_errors or opened.type is None:
        check_block(body, sink)
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
        sink,
    )
    if sink.error_count:
        return None
    return with_facts(settled, shape, state.constants)


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
    statements: tuple[ir.Statement, ...] = value.statements
    result: ir.Expression | None = None
    if isinstance(value.type, Never):
        statements = (*statements, *_effect(value.value, layout))
    elif accept_result(state, function, value.value, value.value.span):
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
            help=conversion_help(declared, type_),
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

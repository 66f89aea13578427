"""From the syntax tree of a file to the typed IR of its kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Pointer, Poison, Scalar
from transpiler.passes.annotations import resolve_type
from transpiler.passes.attributes import kernel_attributes
from transpiler.passes.bounds import (
    HARDWARE_BOUND,
    dtype_parameters_of,
    parameter_bounds,
    unbounded,
)
from transpiler.passes.cfg import Features, cfg_conditions, is_enabled
from transpiler.passes.check import check_block
from transpiler.passes.elaboration import Elaboration, TooDeepError, near_match
from transpiler.passes.function_table import FunctionTable
from transpiler.passes.items import Namespace, namespace_of
from transpiler.passes.scalars import check_conversions
from transpiler.passes.scope import Scopes
from transpiler.passes.settle import settle_kernel
from transpiler.passes.statements import BodyElaborator
from transpiler.source import Span
from transpiler.syntax import nodes as syntax
from transpiler.syntax.hygiene import ROOT_CONTEXT
from transpiler.syntax.printer import print_type
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.diagnostics.sink import Sink
    from transpiler.source import SourceFile
    from transpiler.syntax.hygiene import Hygiene

_CONST_TYPES = frozenset(
    {DType.BOOL, *(dtype for dtype in DType if dtype.is_integer and dtype.bits <= 64)}
)


def elaborate(
    file: syntax.File, source: SourceFile, features: Features, sink: Sink, selected: frozenset[str]
) -> ir.Module:
    """The kernels of `file` that the features keep and `selected` names (all where it is empty), typed.

    A kernel with an error is left out; everything wrong with it and the others is in `sink`.
    """
    kernels: list[ir.Kernel] = []
    homes: dict[int, Namespace] = {}
    top = namespace_of(file.items, features, homes=homes)
    functions = FunctionTable()
    seen: dict[str, syntax.Function] = {}
    for function in kernel_functions(file.items, features, sink):
        previous = seen.setdefault(function.name, function)
        if previous is not function:
            sink.emit(
                "E0202",
                f"the kernel `{function.name}` is defined twice",
                function.name_span,
                related=(Label(span=previous.name_span, message="the first is here"),),
            )
            continue
        if selected and function.name not in selected:
            continue
        home = homes.get(function.span.start, top)
        surroundings = Surroundings(home, features, file.hygiene, functions)
        kernel = _elaborate_kernel(function, source, sink, surroundings)
        if kernel is not None:
            kernels.append(kernel)
    return ir.Module(docs=file.docs, kernels=tuple(kernels), functions=functions.functions(kernels))


def kernel_functions(
    items: Iterable[syntax.Item], features: Features, sink: Sink
) -> Iterator[syntax.Function]:
    """The `#[kernel]` functions among `items` and in their modules, where the features keep them."""
    for item in items:
        match item:
            case syntax.Function(head=head) if _is_kernel(head):
                if is_enabled(head.attributes, features, sink):
                    yield item
            case syntax.Function():
                _refuse_misspelt(item, sink)
            case syntax.Module(head=head, items=tuple() as inner):
                if is_enabled(head.attributes, features, sink):
                    yield from kernel_functions(inner, features, sink)
            case _:
                _refuse_elsewhere(item, sink)


def _refuse_misspelt(function: syntax.Function, sink: Sink) -> None:
    """Tell of an attribute that is almost `#[kernel]`: the function would be missing from the module."""
    for attribute in function.head.attributes:
        name = attribute.name or ""
        if name[:1] in {"k", "K"} and near_match(name, ("kernel",)):
            sink.emit(
                "E0707",
                f"there is no attribute `{name}`",
                attribute.span,
                help="did you mean `#[kernel]`?",
            )


def _refuse_elsewhere(item: syntax.Item, sink: Sink) -> None:
    """Tell of `#[kernel]` where it stands on no function, or on one of an `impl`."""
    attribute = next((each for each in item.head.attributes if each.name == "kernel"), None)
    if attribute is not None:
        sink.emit(
            "E0704",
            "`#[kernel]` stands on something that is no function",
            attribute.span,
            help="put it on a `fn`",
        )
    if isinstance(item, syntax.Impl):
        for inner in item.items:
            if isinstance(inner, syntax.Function) and _is_kernel(inner.head):
                sink.emit(
                    "E0704",
                    f"the kernel `{inner.name}` stands in an `impl`",
                    inner.name_span,
                    help="move it out: a kernel is a function of its own",
                )


class Surroundings(NamedTuple):
    """What stands around a kernel: the names that are not its own, the features, what macros wrote, the functions."""

    items: Namespace
    features: Features
    hygiene: Hygiene
    functions: FunctionTable


def _is_kernel(head: syntax.ItemHead) -> bool:
    return any(attribute.name == "kernel" for attribute in head.attributes)


def _elaborate_kernel(
    function: syntax.Function, source: SourceFile, sink: Sink, surroundings: Surroundings
) -> ir.Kernel | None:
    errors_before = sink.error_count
    attributes = kernel_attributes(function, sink)
    bounds = parameter_bounds(function)
    hardware = _hardware_parameter(function, bounds, sink)
    dtype_parameters = dtype_parameters_of(function, hardware, bounds, sink)
    state = Elaboration(
        sink=sink,
        items=surroundings.items,
        features=surroundings.features,
        scopes=Scopes(surroundings.hygiene),
        functions=surroundings.functions,
        hardware=hardware,
        dtype_parameters=dtype_parameters,
        unbounded=unbounded(bounds),
    )
    const_generics = _const_generics(function, state)
    parameters = _parameters(function, state)
    if function.return_type is not None:
        sink.emit(
            "E0704",
            "a kernel returns nothing",
            function.return_type.span,
            help=f"store what it computes: `{hardware}::store(…)`",
        )
    if function.receiver is not None or "async" in function.qualifiers:
        what = "takes `self`" if function.receiver is not None else "is `async`"
        sink.emit(
            "E0704",
            f"the kernel `{function.name}` {what}",
            function.name_span,
            help="a kernel is a plain `fn`",
        )
    if not isinstance(function.body, syntax.Block):
        sink.emit(
            "E0704",
            f"the kernel `{function.name}` has no body",
            function.name_span,
            help="write `{ … }` instead of the `;`",
        )
        return None
    try:
        body = BodyElaborator(state).block(function.body)
    except TooDeepError as error:
        sink.emit(
            "E0116",
            f"the kernel `{function.name}` nests too deeply",
            Span(error.span.start, error.span.start + 1),
            label="in here",
            help="give inner values names with `let`",
        )
        return None
    if sink.error_count > errors_before:
        # The kernel goes no further; what Triton would refuse in it is told in the same run all the same.
        check_block(body, sink)
        return None
    check_conversions(state)
    kernel = ir.Kernel(
        span=function.span,
        name=function.name,
        name_span=function.name_span,
        docs=function.head.docs,
        dtype_parameters=tuple(dtype_parameters.values()),
        const_generics=const_generics,
        parameters=parameters,
        body=body,
        named_dtypes=attributes.dtypes,
        backward=attributes.backward,
        backward_span=attributes.backward_span,
        feature_gate=_feature_gate(function, source),
    )
    settled = settle_kernel(kernel, state.solver, sink)
    return None if sink.error_count > errors_before else settled


def _feature_gate(function: syntax.Function, source: SourceFile) -> str | None:
    conditions = [source.slice(item.span) for item in cfg_conditions(function.head.attributes)]
    if len(conditions) > 1:
        return f"all({', '.join(conditions)})"
    return conditions[0] if conditions else None


# --- Generics and parameters ----------------------------------------------------------------------


def _hardware_parameter(
    function: syntax.Function, bounds: dict[str, tuple[str, ...]], sink: Sink
) -> str:
    names = [
        parameter.name
        for parameter in function.generics
        if isinstance(parameter, syntax.TypeParameter)
    ]
    found = [name for name in names if HARDWARE_BOUND in bounds[name]]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"the kernel `{function.name}` has {len(found)} parameters bounded by `Triton`"
    else:
        message = f"the kernel `{function.name}` has no parameter bounded by `Triton`"
    written = [bound for name in names for bound in bounds[name]]
    advice = next(filter(None, (near_match(bound, (HARDWARE_BOUND,)) for bound in written)), None)
    sink.emit(
        "E0701",
        message,
        function.name_span,
        help=advice or f"write `fn {function.name}<T: {HARDWARE_BOUND}, …>(…)`",
    )
    # Elaboration goes on under a name that is of no dtype, `T` as everybody has it, so that the body's own faults are
    # told too.
    free = [name for name in names if name in unbounded(bounds)]
    return "T" if "T" in names or not free else free[0]


def _const_generics(function: syntax.Function, state: Elaboration) -> tuple[ir.Symbol, ...]:
    symbols = []
    for parameter in function.generics:
        if not isinstance(parameter, syntax.ConstParameter):
            continue
        type_ = resolve_type(state, parameter.type)
        if isinstance(type_, Scalar) and type_.dtype not in _CONST_TYPES:
            state.sink.emit(
                "E0704",
                f"the const generic `{parameter.name}` must be an integer or a bool",
                parameter.type.span,
                help=f"pass it when the kernel runs: `{parameter.name.lower()}: f32` among the parameters",
            )
        symbol = state.symbol(parameter.name, ir.SymbolKind.CONST_GENERIC, type_, parameter.span)
        state.scopes.declare_generic(symbol.name, symbol)
        state.constants[symbol] = None
        symbols.append(symbol)
    return tuple(symbols)


def _parameters(function: syntax.Function, state: Elaboration) -> tuple[ir.Symbol, ...]:
    symbols = []
    for index, parameter in enumerate(function.parameters):
        type_ = resolve_type(state, parameter.type)
        if not isinstance(type_, Scalar | Pointer | Poison):
            state.sink.emit(
                "E0704",
                f"a kernel cannot take `{print_type(parameter.type)}`",
                parameter.type.span,
                help="kernels take pointers and scalars",
            )
        match parameter.pattern:
            case syntax.IdentifierPattern(name=name, is_mutable=is_mutable, context=context):
                pass
            case syntax.WildcardPattern():
                name, is_mutable, context = f"_{index}", False, ROOT_CONTEXT
            case _:
                state.unsupported("this pattern in a parameter", parameter.pattern.span)
                continue
        symbol = state.symbol(
            name,
            ir.SymbolKind.PARAMETER,
            type_,
            parameter.pattern.span,
            is_mutable=is_mutable,
        )
        previous = state.scopes.find(name, context)
        if previous is not None:
            state.sink.emit(
                "E0202",
                f"the name `{name}` is taken twice",
                parameter.pattern.span,
                related=(Label(span=previous.span, message="the first is here"),),
            )
        state.scopes.declare(symbol, context)
        symbols.append(symbol)
    return tuple(symbols)

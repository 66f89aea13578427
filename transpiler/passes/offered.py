"""Which dtypes a kernel is offered for: those its bounds admit, its attribute names and its operations have."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Bound, DType, DtypeParameter, dtype_text
from transpiler.ir.visit import walk_block
from transpiler.ops.enums import FLOAT_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.types import ElementType
    from transpiler.ops.model import Op
    from transpiler.passes.context import PassContext
    from transpiler.source import Span


def offered(module: ir.Module, context: PassContext) -> ir.Module:
    """The module in which each kernel knows what its operations allow of its dtypes; faults are reported."""
    search = _Search(context.sink)
    for function in module.functions:
        search.functions[function.symbol] = function.dtype_parameters, search.limits(function)
    kernels = tuple(_limited(kernel, search) for kernel in module.kernels)
    if all(new is old for new, old in zip(kernels, module.kernels, strict=True)):
        return module
    return replace(module, kernels=kernels)


def _limited(kernel: ir.Kernel, search: _Search) -> ir.Kernel:
    errors_before = search.sink.error_count
    limits = search.limits(kernel)
    if not limits:
        return kernel
    limited = replace(kernel, limits=limits)
    if not limited.instances and search.sink.error_count == errors_before:
        _report_nothing_left(limited, search.sink)
    return limited


class _Search:
    """What operations allow; `functions` has the dtype parameters and the limits of those looked through so far."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.functions: dict[
            ir.FunctionSymbol, tuple[tuple[DtypeParameter, ...], tuple[ir.DtypeLimit, ...]]
        ] = {}

    def limits(self, routine: ir.Routine) -> tuple[ir.DtypeLimit, ...]:
        """What the calls in a kernel or a function allow of its dtype parameters, each once."""
        found: dict[tuple[object, object], ir.DtypeLimit] = {}
        for node in walk_block(routine.body):
            for limit in self._of_expression(node):
                found.setdefault((limit.parameters, limit.instances), limit)
        return tuple(found.values())

    def _of_expression(self, node: ir.Expression) -> Iterator[ir.DtypeLimit]:
        match node:
            case ir.OpCall(op=op) if op.dtypes or op.instances:
                yield from self._restricted(op.name, node.span, node.dtypes, _instances_of(op))
            case ir.OpCall(arguments=arguments):
                for argument in arguments:
                    if isinstance(argument, ir.EnumArgument) and argument.member in (
                        FLOAT_MEMBERS.get(argument.enum, ())
                    ):
                        shown = f"{argument.enum}::{argument.member}"
                        yield from self._restricted(shown, argument.span, node.dtypes[:1], _FLOATS)
            case ir.Call(function=function) if function in self.functions:
                parameters, limits = self.functions[function]
                given = dict(zip(parameters, node.dtypes, strict=True))
                for limit in limits:
                    dtypes = tuple(given[parameter] for parameter in limit.parameters)
                    yield from self._restricted(limit.op, limit.span, dtypes, limit.instances)
            case _:
                pass

    def _restricted(
        self,
        op: str,
        span: Span,
        given: tuple[ElementType, ...],
        instances: Iterable[tuple[DType, ...]],
    ) -> Iterator[ir.DtypeLimit]:
        """The limit of an operation for the dtypes it is given; reported where there is none like them."""
        parameters = tuple(
            dict.fromkeys(dtype for dtype in given if isinstance(dtype, DtypeParameter))
        )
        found = {
            tuple(chosen[parameter] for parameter in parameters)
            for instance in instances
            if (chosen := _matched(given, instance)) is not None
        }
        if not found:
            shown = _instance_text([dtype_text(dtype) for dtype in given])
            self.sink.emit(
                "E0504", f"`{op}` is defined for {_alternatives(instances)}; this is {shown}", span
            )
        elif parameters:
            yield ir.DtypeLimit(span=span, op=op, parameters=parameters, instances=frozenset(found))


def _matched(
    given: tuple[ElementType, ...], instance: tuple[DType, ...]
) -> dict[ElementType, DType] | None:
    """What each of the dtypes given is in an instance; None where they are not those, or one would be two."""
    chosen: dict[ElementType, DType] = {}
    for dtype, own in zip(given, instance, strict=True):
        if isinstance(dtype, DType) and dtype is not own:
            return None
        if chosen.setdefault(dtype, own) is not own:
            return None
    return chosen


def _instances_of(op: Op) -> tuple[tuple[DType, ...], ...]:
    """The combinations of dtypes an operation has, in the order of its generics."""
    if op.instances:
        return op.instances
    return tuple(
        product(
            *(
                [dtype for dtype in bound.dtypes if dtype in op.dtypes.get(name, bound.dtypes)]
                for name, bound in op.parsed.generics
            )
        )
    )


def _report_nothing_left(kernel: ir.Kernel, sink: Sink) -> None:
    """E0504 at the operation that leaves a kernel no dtype it could be for."""
    for count, limit in enumerate(kernel.limits, start=1):
        if replace(kernel, limits=kernel.limits[:count]).instances:
            continue
        before = replace(kernel, limits=kernel.limits[: count - 1])
        names = " and ".join(f"`{parameter.name}`" for parameter in kernel.dtype_parameters)
        sink.emit(
            "E0504",
            f"`{limit.op}` leaves `{kernel.name}` no dtype",
            limit.span,
            label=f"this is defined for {_alternatives(limit.instances)}",
            notes=(f"without it, {names} may be {_alternatives(before.instances)}",),
        )
        return


def _alternatives(instances: Iterable[tuple[DType, ...]]) -> str:
    """`f32, f64`; of several dtypes `(f32, i32), (f64, i64)`."""
    ordered = sorted(instances, key=lambda instance: [_ORDER[dtype] for dtype in instance])
    return ", ".join(_instance_text([dtype.value for dtype in each]) for each in ordered)


def _instance_text(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


_FLOATS = tuple((dtype,) for dtype in Bound.FLOAT.dtypes)
_ORDER = {dtype: index for index, dtype in enumerate(Bound.DTYPE.dtypes)}

"""The functions that call a kernel with the constants of its specialisations, and check the dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.types import F64, DType, DtypeParameter, Pointer
from transpiler.target.dtypes import carriers, computed_in, triton_dtype
from transpiler.target.model import (
    Call,
    Evaluation,
    Function,
    Keyword,
    Name,
    Parameter,
    Statement,
    Suite,
    Tuple,
    dotted,
)
from transpiler.target.numerals import constant
from transpiler.target.prelude import REQUIRE_DTYPE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Kernel, Symbol
    from transpiler.target.names import KernelNames

JIT = dotted("triton.jit")


def specialised(plan: KernelPlan, name: str, names: KernelNames) -> Iterator[Function]:
    """The specialisations of a kernel called `name` in Python, in order; what some have in common is made once."""
    kernel = plan.kernel
    span = kernel.span
    parameters = tuple(run_time_parameter(symbol, names) for symbol in kernel.parameters)
    arguments = tuple(Name(parameter.name) for parameter in parameters)
    callee = Name(name)
    # No pointer carries these: they count in what their names say, and in single precision for half.
    told = [dtype for dtype in kernel.dtype_parameters if not carriers(kernel, dtype)]
    checks: dict[tuple[DType, ...], tuple[Statement, ...]] = {}
    calls: dict[tuple[object, ...], Statement] = {}
    for specialisation in plan.specialisations:
        if specialisation.is_kernel_itself:
            continue
        instances = dict(zip(kernel.dtype_parameters, specialisation.dtypes, strict=True))
        if specialisation.dtypes not in checks:
            checks[specialisation.dtypes] = tuple(_checks(kernel, instances, names))
        computed = tuple(computed_in(instances[dtype]) for dtype in told)
        given = (*specialisation.constants, *computed)
        if given not in calls:
            constants = zip(kernel.const_generics, specialisation.constants, strict=True)
            keywords = (
                *(Keyword(names.symbols[symbol], constant(value)) for symbol, value in constants),
                *(
                    Keyword(names.dtypes[dtype.name], triton_dtype(concrete, {}))
                    for dtype, concrete in zip(told, computed, strict=True)
                ),
            )
            calls[given] = Evaluation(value=Call(callee, arguments, keywords), span=span)
        yield Function(
            name=specialisation.name,
            decorator=JIT,
            parameters=parameters,
            docs=(),
            body=Suite(statements=(*checks[specialisation.dtypes], calls[given])),
            span=span,
        )


def run_time_parameter(symbol: Symbol, names: KernelNames) -> Parameter:
    """A run-time parameter; Triton takes a number for a float in single precision unless it is told otherwise."""
    is_double = symbol.type == F64
    annotation = triton_dtype(DType.F64, {}) if is_double else None
    return Parameter(name=names.symbols[symbol], annotation=annotation)


def _checks(
    kernel: Kernel, instances: Mapping[DtypeParameter, DType], names: KernelNames
) -> Iterator[Statement]:
    """The statements that refuse pointers to other dtypes than those of an instance."""
    for concrete, pointers in _pointers_by_dtype(kernel, instances).items():
        elements = Tuple(tuple(Name(names.symbols[pointer]) for pointer in pointers))
        check = Call(Name(REQUIRE_DTYPE), (elements, triton_dtype(concrete, {})))
        yield Evaluation(value=check, span=kernel.span)


def _pointers_by_dtype(
    kernel: Kernel, instances: Mapping[DtypeParameter, DType]
) -> dict[DType, list[Symbol]]:
    """The pointer parameters of an instance by what they point to, in the order of the Rust."""
    result: dict[DType, list[Symbol]] = {}
    for symbol in kernel.parameters:
        if isinstance(symbol.type, Pointer):
            dtype = symbol.type.dtype
            concrete = instances[dtype] if isinstance(dtype, DtypeParameter) else dtype
            if isinstance(concrete, DType):
                result.setdefault(concrete, []).append(symbol)
    return result

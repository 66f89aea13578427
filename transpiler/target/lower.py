"""Lowers kernels of the IR with their specialisations, and the functions they call, to functions of the target tree."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.nodes import Assign, Kernel, SymbolKind
from transpiler.ir.types import F64, DType, DtypeParameter, Pointer
from transpiler.target.dtypes import (
    carriers,
    computed_in,
    dtype_of_arithmetic,
    dtype_source,
    triton_dtype,
)
from transpiler.target.expressions import Callee
from transpiler.target.model import (
    Assignment,
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
from transpiler.target.names import KernelNames, name_kernel
from transpiler.target.numerals import constant
from transpiler.target.prelude import REQUIRE_DTYPE
from transpiler.target.read_names import names_read
from transpiler.target.statements import CONSTEXPR, StatementLowering
from transpiler.target.usage import analyse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.description import KernelPlan, Specialisation
    from transpiler.ir.nodes import Function as IrFunction
    from transpiler.ir.nodes import Routine, Symbol
    from transpiler.target.expressions import Callees

JIT = dotted("triton.jit")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweredKernel:
    """A kernel in Python: its function, those of its specialisations, and the names it was given.

    `dtype_parameters` are the Python names of the dtype parameters a caller passes, because no
    pointer carries them.
    """

    function: Function
    names: KernelNames
    dtype_parameters: tuple[str, ...]
    specialisations: tuple[Function, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweredFunction:
    """A function that kernels call, in Python, and how it is called."""

    function: Function
    callee: Callee


def lower_function(
    source: IrFunction, name: str, module_names: frozenset[str], callees: Callees, origin: str
) -> LoweredFunction:
    """Lower one function; `callees` are those it calls, the rest is as in `lower_kernel`."""
    usage = analyse(source)
    names = name_kernel(source, usage, module_names)
    body = StatementLowering(names, usage, callees).suite(source.body)
    used = names_read(body)
    passed = tuple(
        names.dtypes[dtype.name] in used and dtype_source(source, dtype) is None
        for dtype in source.dtype_parameters
    )
    constants = (
        *(names.symbols[symbol] for symbol in source.const_generics),
        *(
            names.dtypes[dtype.name]
            for dtype, is_passed in zip(source.dtype_parameters, passed, strict=True)
            if is_passed
        ),
    )
    function = Function(
        name=name,
        decorator=JIT,
        parameters=(
            *(
                Parameter(
                    name=names.symbols[symbol],
                    annotation=CONSTEXPR if symbol.kind is SymbolKind.CONST_GENERIC else None,
                )
                for symbol in source.parameters
            ),
            *(Parameter(name=constant, annotation=CONSTEXPR) for constant in constants),
        ),
        docs=source.docs,
        body=_with_dtypes(source, names, body),
        span=source.span,
        comment=origin,
    )
    return LoweredFunction(function=function, callee=Callee(name=name, passed=passed))


def lower_kernel(
    plan: KernelPlan,
    name: str,
    module_names: frozenset[str],
    origin: str,
    callees: Callees = MappingProxyType({}),
) -> LoweredKernel:
    """Lower one kernel.

    `name` is its name in Python, `module_names` are those of all functions of the module, `callees`
    the functions it calls, and `origin` tells where it stands in the Rust.
    """
    kernel = plan.kernel
    usage = analyse(kernel)
    names = name_kernel(kernel, usage, module_names)
    body = StatementLowering(names, usage, callees).suite(kernel.body)
    passed = tuple(
        names.dtypes[dtype.name] for dtype in kernel.dtype_parameters if not carriers(kernel, dtype)
    )
    function = Function(
        name=name,
        decorator=JIT,
        parameters=(
            *(_parameter(symbol, names) for symbol in kernel.parameters),
            *(
                Parameter(name=constant, annotation=CONSTEXPR)
                for constant in (
                    *(names.symbols[symbol] for symbol in kernel.const_generics),
                    *passed,
                )
            ),
        ),
        docs=kernel.docs,
        body=_with_dtypes(kernel, names, body),
        span=kernel.span,
        comment=origin,
        is_spread=True,
    )
    return LoweredKernel(
        function=function,
        names=names,
        dtype_parameters=passed,
        specialisations=tuple(
            _specialised(plan, specialisation, name, names)
            for specialisation in plan.specialisations
            if not specialisation.is_kernel_itself
        ),
    )


def _parameter(symbol: Symbol, names: KernelNames) -> Parameter:
    """A run-time parameter; Triton takes a number for a float in single precision unless it is told otherwise."""
    is_double = symbol.type == F64
    annotation = triton_dtype(DType.F64, {}) if is_double else None
    return Parameter(name=names.symbols[symbol], annotation=annotation)


def _with_dtypes(kernel: Routine, names: KernelNames, body: Suite) -> Suite:
    """`body` after the lines that read the dtype parameters it uses off what carries them."""
    used = names_read(body)
    lines: list[Statement] = []
    for dtype in kernel.dtype_parameters:
        source = dtype_source(kernel, dtype)
        name = names.dtypes[dtype.name]
        if source is not None and name in used:
            value = dtype_of_arithmetic(dtype, source, names.symbols[source])
            lines.append(
                Assignment(targets=(name,), annotation=CONSTEXPR, value=value, span=kernel.span)
            )
    statements = [*lines, *body.statements]
    prologue = _prologue_length(kernel)
    first = len(lines) + prologue
    stands_apart = isinstance(kernel, Kernel) or prologue > 0
    if 0 < first < len(statements) and (stands_apart or statements[first].comments):
        # What the author wrote stands apart from what the compiler puts above. Under a mere dtype
        # in a short function it does where a comment would seem to be about that.
        statements[first] = replace(statements[first], blank_before=True)
    return Suite(statements=tuple(statements), closing_comments=body.closing_comments)


def _prologue_length(kernel: Routine) -> int:
    """How many statements the passes put before the first of the Rust: they stand for parameters."""
    count = 0
    for statement in kernel.body.statements:
        if not isinstance(statement, Assign) or statement.span != statement.symbol.span:
            break
        count += 1
    return count


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


def _specialised(
    plan: KernelPlan, specialisation: Specialisation, name: str, names: KernelNames
) -> Function:
    """The function that calls a kernel with the constants of a specialisation, and checks the dtypes."""
    kernel = plan.kernel
    span = kernel.span
    parameters = tuple(_parameter(symbol, names) for symbol in kernel.parameters)
    keywords = [
        Keyword(names.symbols[symbol], constant(value))
        for symbol, value in zip(kernel.const_generics, specialisation.constants, strict=True)
    ]
    instances = dict(zip(kernel.dtype_parameters, specialisation.dtypes, strict=True))
    statements: list[Statement] = []
    for concrete, pointers in _pointers_by_dtype(kernel, instances).items():
        elements = Tuple(tuple(Name(names.symbols[pointer]) for pointer in pointers))
        check = Call(Name(REQUIRE_DTYPE), (elements, triton_dtype(concrete, {})))
        statements.append(Evaluation(value=check, span=span))
    for dtype, concrete in instances.items():
        if not carriers(kernel, dtype):
            # It counts in what its name says, and in single precision for half.
            computed = triton_dtype(computed_in(concrete), {})
            keywords.append(Keyword(names.dtypes[dtype.name], computed))
    call = Call(
        Name(name), tuple(Name(parameter.name) for parameter in parameters), tuple(keywords)
    )
    statements.append(Evaluation(value=call, span=span))
    return Function(
        name=specialisation.name,
        decorator=JIT,
        parameters=parameters,
        docs=(),
        body=Suite(statements=tuple(statements)),
        span=span,
    )

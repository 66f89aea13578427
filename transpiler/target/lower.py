"""Lowers kernels of the IR, and the functions they call, to functions of the target tree."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.nodes import Assign, Kernel, SymbolKind
from transpiler.target.dtypes import (
    carriers,
    dtype_of_arithmetic,
    dtype_source,
)
from transpiler.target.expressions import Callee
from transpiler.target.model import (
    Assignment,
    Function,
    Parameter,
    Statement,
    Suite,
)
from transpiler.target.names import KernelNames, are_names_of_form, name_kernel
from transpiler.target.read_names import names_read
from transpiler.target.specialisations import JIT, run_time_parameter, specialised
from transpiler.target.statements import CONSTEXPR, StatementLowering
from transpiler.target.usage import analyse

if TYPE_CHECKING:
    from collections.abc import Container

    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Function as IrFunction
    from transpiler.ir.nodes import Routine, Symbol
    from transpiler.target.expressions import Callees


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweredKernel:
    """A kernel in Python: its function, those of its specialisations, and the names it was given.

    `dtype_parameters` are the Python names of the dtype parameters a caller passes, because no
    pointer carries them. `index64` is its form with indices in 64 bits: None where it has none, the function itself
    where it needs none; `shared` are the `id`s of the statements that both have.
    """

    function: Function
    names: KernelNames
    dtype_parameters: tuple[str, ...]
    specialisations: tuple[Function, ...]
    index64: Function | None
    shared: frozenset[int]

    @property
    def own_form(self) -> Function | None:
        """Its form with indices in 64 bits, where that is a function of its own."""
        return None if self.index64 is self.function else self.index64


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweredFunction:
    """A function that kernels call, in Python, and how it is called."""

    function: Function
    callee: Callee


def lower_function(
    source: IrFunction,
    name: str,
    module_names: Container[str],
    callees: Callees,
    origin: str,
    widened: frozenset[Symbol] = frozenset(),
) -> LoweredFunction:
    """Lower one function; `callees` are those it calls, the rest is as in `lower_kernel` and `name_kernel`."""
    usage = analyse(source)
    names = name_kernel(source, usage, module_names, widened)
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
        body=_with_dtypes(source, _dtype_lines(source, names, used), body),
        span=source.span,
        comment=origin,
    )
    return LoweredFunction(function=function, callee=Callee(name=name, passed=passed))


def lower_kernel(
    plan: KernelPlan,
    name: str,
    module_names: Container[str],
    origin: str,
    callees: Callees = MappingProxyType({}),
    form_name: str = "",
) -> LoweredKernel:
    """Lower one kernel.

    `name` is its name in Python, `form_name` that of its form with indices in 64 bits, `module_names` are those of all
    functions of the module, `callees` the functions it calls, and `origin` tells where it stands in the Rust.
    """
    kernel = plan.kernel
    usage = analyse(kernel)
    names = name_kernel(kernel, usage, module_names)
    lowering = StatementLowering(names, usage, callees)
    body = lowering.suite(kernel.body)
    dtype_lines = _dtype_lines(kernel, names, names_read(body))
    passed = tuple(
        names.dtypes[dtype.name] for dtype in kernel.dtype_parameters if not carriers(kernel, dtype)
    )
    function = Function(
        name=name,
        decorator=JIT,
        parameters=(
            *(run_time_parameter(symbol, names) for symbol in kernel.parameters),
            *(
                Parameter(name=constant, annotation=CONSTEXPR)
                for constant in (
                    *(names.symbols[symbol] for symbol in kernel.const_generics),
                    *passed,
                )
            ),
        ),
        docs=kernel.docs,
        body=_with_dtypes(kernel, dtype_lines, body),
        span=kernel.span,
        comment=origin,
        is_spread=True,
    )
    form, shared = plan.own_form, lowering.lowered
    index64 = None if plan.index64 is None else function
    if form is not None:
        if not are_names_of_form(names, form.widened):
            names_of_form = name_kernel(kernel, usage, module_names, form.widened)
            lowering = StatementLowering(names_of_form, usage, callees)
            shared = {}
        else:
            lowering = StatementLowering(names, usage, callees, shared)
        body = _with_dtypes(form.kernel, dtype_lines, lowering.suite(form.kernel.body))
        index64 = replace(function, name=form_name, docs=form.kernel.docs, body=body)
    return LoweredKernel(
        function=function,
        names=names,
        dtype_parameters=passed,
        specialisations=tuple(specialised(plan, name, names)),
        index64=index64,
        shared=frozenset(map(id, shared.values())),
    )


def _dtype_lines(
    kernel: Routine, names: KernelNames, used: frozenset[str]
) -> tuple[Statement, ...]:
    """The lines that read the dtype parameters that are `used` off what carries them."""
    lines: list[Statement] = []
    for dtype in kernel.dtype_parameters:
        source = dtype_source(kernel, dtype)
        name = names.dtypes[dtype.name]
        if source is not None and name in used:
            value = dtype_of_arithmetic(dtype, source, names.symbols[source])
            lines.append(
                Assignment(targets=(name,), annotation=CONSTEXPR, value=value, span=kernel.span)
            )
    return tuple(lines)


def _with_dtypes(kernel: Routine, lines: tuple[Statement, ...], body: Suite) -> Suite:
    """`body` after the lines that read dtype parameters."""
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

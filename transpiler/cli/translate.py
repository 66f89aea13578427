"""One text through the compiler, reduced to what may cross the border of a process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from transpiler.cli.remarks import WantedRemarks, with_remarks
from transpiler.cli.values import Emit
from transpiler.diagnostics.model import Diagnostic, Severity
from transpiler.frozen import dataclass
from transpiler.optimise.remarks import applied_flags
from transpiler.pipeline import Options, transpile_source
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.cli.print_after import Printed
    from transpiler.emit.line_map import LineMap
    from transpiler.harness.aot import Entry
    from transpiler.ir.description import KernelPlan
    from transpiler.pipeline import Result
    from transpiler.source import SourceFile

_Value = TypeVar("_Value")

_NO_KERNEL = "E0811"
_NO_ITEM = "E0101"
_SYNTAX = "E01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A text and what to make of it, and what to tell about the way: remarks, and the IR after passes."""

    source: SourceFile
    options: Options
    emit: Emit
    remarks: WantedRemarks = WantedRemarks()
    print_after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSummary:
    """A kernel in a few words: dtypes and const generics with the values that are emitted.

    `transforms` are those that made what is launched in its place; None where the optimiser is off.
    """

    name: str
    dtypes: tuple[str, ...]
    constants: tuple[tuple[str, tuple[int | bool, ...]], ...]
    specialisations: int
    transforms: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What options may name in a file, selected or not: kernels and their const generics."""

    kernels: tuple[str, ...]
    const_generics: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """What came of a job.

    `text` is the artefact that was asked for, the module for compiled ones; None where there are
    errors. `description` is filled for JSON, `entries` and `line_map` for compiled artefacts.
    `declared` is None where the text did not parse.
    """

    source: SourceFile
    diagnostics: tuple[Diagnostic, ...]
    text: str | None
    kernels: tuple[KernelSummary, ...]
    declared: Declared | None
    seconds: float
    operators: tuple[str, ...] = ()
    description: dict[str, object] | None = None
    entries: tuple[Entry, ...] = ()
    line_map: LineMap | None = None

    @property
    def has_faults(self) -> bool:
        """Whether there are errors other than that it holds no kernel, or nothing at all."""
        return any(
            found.severity is Severity.ERROR and found.code not in {_NO_KERNEL, _NO_ITEM}
            for found in self.diagnostics
        )


def translate(job: Job) -> Translation:
    """Run the compiler on one text; a fault of its own becomes a diagnostic (E0812)."""
    start = time.perf_counter()
    try:
        printed = _printed(job)
        observe = None if printed is None else printed.observe
        result = transpile_source(job.source, job.options, observe)
        return _reduce(result, job, printed, start)
    except Exception as error:  # noqa: BLE001 - whatever it is, it concerns this file alone
        return _fault(job.source, error, start)


def _printed(job: Job) -> Printed | None:
    if not job.print_after:
        return None
    from transpiler.cli.print_after import Printed  # noqa: PLC0415 - for this option alone

    return Printed(job.print_after)


def _reduce(result: Result, job: Job, printed: Printed | None, start: float) -> Translation:
    emit = job.emit
    description: dict[str, object] | None = None
    entries: tuple[Entry, ...] = ()
    text: str | None = None
    diagnostics = with_remarks(result.diagnostics, result.remarks, job.remarks)
    if result.ok and not result.plans and emit is not Emit.AST:
        diagnostics = (*diagnostics, _no_kernel(result))
    elif result.ok:
        text = _artefact(result, emit)
        if printed is not None:
            text = printed.before(text)
        if emit is Emit.JSON:
            from transpiler.cli.describe import describe  # noqa: PLC0415 - for this format alone

            description = describe(result)
        if emit.is_compiled:
            from transpiler.harness.aot import entries as all_entries  # noqa: PLC0415
            from transpiler.harness.stage_entries import stage_entries  # noqa: PLC0415 - the same

            stages = (entry for plan in result.plans for entry in stage_entries(plan))
            entries = (*all_entries(result.plans), *stages)
    return Translation(
        source=result.source,
        diagnostics=diagnostics,
        text=text,
        kernels=tuple(_summary(plan, result, job.options) for plan in result.plans),
        operators=tuple(operator.name for operator in result.operators),
        declared=_names(result),
        seconds=time.perf_counter() - start,
        description=description,
        entries=entries,
        line_map=result.line_map if emit.is_compiled else None,
    )


def _no_kernel(result: Result) -> Diagnostic:
    declared = () if result.syntax is None else _declared(result.syntax).kernels
    return Diagnostic(
        severity=Severity.ERROR,
        code=_NO_KERNEL,
        message=(
            f"no kernel of `{result.source.name}` is selected"
            if declared
            else f"`{result.source.name}` has no `#[kernel]` function"
        ),
        notes=(f"its kernels are {', '.join(declared)}",) if declared else (),
    )


def _artefact(result: Result, emit: Emit) -> str:
    match emit:
        case Emit.AST:
            from transpiler.syntax.dump import dump_file  # noqa: PLC0415 - for this format alone

            return dump_file(_present(result.syntax))
        case Emit.IR:
            from transpiler.ir.dump import dump_module  # noqa: PLC0415 - for this format alone
            from transpiler.ir.plan_dump import dump_plan  # noqa: PLC0415

            plans = (plan.optimised for plan in result.plans)
            launched = (dump_plan(plan) for plan in plans if plan is not None)
            return "\n".join((dump_module(_present(result.module)), *launched))
        case Emit.JSON:
            return ""
        case Emit.TRITON | Emit.TTIR | Emit.PTX | Emit.CUBIN:
            return _present(result.text)


def _present(value: _Value | None) -> _Value:
    """A part that every result without errors has."""
    if value is None:
        raise TypeError("a result without errors lacks one of its parts")
    return value


def _summary(plan: KernelPlan, result: Result, options: Options) -> KernelSummary:
    found = plan.specialisations
    dtypes = dict.fromkeys("/".join(dtype.value for dtype in each.dtypes) for each in found)
    return KernelSummary(
        name=plan.kernel.name,
        dtypes=tuple(text for text in dtypes if text),
        constants=tuple(
            (symbol.name, tuple(dict.fromkeys(each.constants[index] for each in found)))
            for index, symbol in enumerate(plan.kernel.const_generics)
        ),
        specialisations=len(found),
        transforms=_transforms(plan, result) if options.optimise.is_on else None,
    )


def _transforms(plan: KernelPlan, result: Result) -> tuple[str, ...]:
    return () if plan.optimised is None else applied_flags(result.remarks, plan.kernel.name)


def _names(result: Result) -> Declared | None:
    is_whole = not any(
        found.code.startswith(_SYNTAX) and found.code != _NO_ITEM for found in result.diagnostics
    )
    return _declared(result.syntax) if result.syntax is not None and is_whole else None


def _declared(file: syntax.File) -> Declared:
    kernels = list(_kernels(file.items))
    return Declared(
        kernels=tuple(dict.fromkeys(kernel.name for kernel in kernels)),
        const_generics=tuple(
            dict.fromkeys(
                generic.name
                for kernel in kernels
                for generic in kernel.generics
                if isinstance(generic, syntax.ConstParameter)
            )
        ),
    )


def _kernels(items: Iterable[syntax.Item]) -> Iterator[syntax.Function]:
    for item in items:
        match item:
            case syntax.Function() if any(
                attribute.name == "kernel" for attribute in item.head.attributes
            ):
                yield item
            case syntax.Module(items=tuple() as inner):
                yield from _kernels(inner)
            case _:
                continue


def _fault(source: SourceFile, error: Exception, start: float) -> Translation:
    import traceback  # noqa: PLC0415 - faults are rare

    place = traceback.extract_tb(error.__traceback__)[-1]
    diagnostic = Diagnostic(
        severity=Severity.ERROR,
        code="E0812",
        message=f"the compiler itself failed on this file: {type(error).__name__}: {error}",
        notes=(
            f"raised in {place.name}, {place.filename.rpartition('transpiler')[2]}:{place.lineno}",
        ),
        help="this is a fault of teeny-transpile, not of the Rust: please report it with the file",
    )
    return Translation(
        source=source,
        diagnostics=(diagnostic,),
        text=None,
        kernels=(),
        declared=None,
        seconds=time.perf_counter() - start,
    )

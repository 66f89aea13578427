"""One run from its case to its verdict."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.diagnostics.render.full import render
from transpiler.diagnostics.render.report import Report
from transpiler.frozen import dataclass
from transpiler.harness.arguments import give, prepare, refer, terms
from transpiler.harness.cases import CaseError
from transpiler.harness.judging import find_truth, judge, setting, widened
from transpiler.harness.outcomes import Outcome, Verdict
from transpiler.harness.refusals import diagnostic, refusal_of

if TYPE_CHECKING:
    from types import ModuleType

    import torch

    from transpiler.harness.arguments import Prepared
    from transpiler.harness.outcomes import RunKey
    from transpiler.harness.programs import Program
    from transpiler.harness.runs import Run


class LaunchError(Exception):
    """A launch that did not end well; the text is for the user."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A program's module on a device."""

    program: Program
    module: ModuleType
    device: torch.device

    @property
    def is_gpu(self) -> bool:
        """Whether kernels are compiled, and not interpreted."""
        return self.device.type != "cpu"


def launch_and_judge(bench: Bench, run: Run) -> Outcome:
    """Launch a run once and compare; whatever fails is in the outcome."""
    start = time.perf_counter()
    try:
        outcome = _outcome(bench, run)
    except CaseError as error:
        outcome = Outcome(key=run.key, verdict=Verdict.ERROR, message=str(error))
    except LaunchError as error:
        outcome = Outcome(key=run.key, verdict=error.verdict, message=str(error))
    return Outcome(
        key=outcome.key,
        verdict=outcome.verdict,
        message=outcome.message,
        outputs=outcome.outputs,
        seconds=time.perf_counter() - start,
    )


def _outcome(bench: Bench, run: Run) -> Outcome:
    path = Path(bench.program.cases)
    given = give(run, bench.device, path)
    exact = refer(run, given, widened(given), path, is_exact=True)
    prepared = prepare(run, given, exact, path)
    _launch(bench, run, prepared)
    conditions = setting(given, terms=terms(run, given, path), is_chopped=not bench.is_gpu)
    truth = find_truth(run, given, exact, path)
    findings, outputs = judge(run, given, prepared, truth, conditions)
    return Outcome(
        key=run.key,
        verdict=findings[0].verdict if findings else Verdict.PASS,
        message="\n".join(finding.message for finding in findings),
        outputs=outputs,
    )


def _launch(bench: Bench, run: Run, prepared: Prepared) -> None:
    """Launch the specialisation for the run, or the kernel itself where there is none.

    What the optimiser made something of is launched by its launcher.

    Raises:
        LaunchError: Triton refuses it, or it raises.
    """
    record = bench.module.KERNELS[run.kernel.name]
    instance = run.kernel.instance(run.dtypes, tuple(run.constants.values()))
    is_planned = getattr(record, "optimised", None) is not None
    if is_planned or instance is None or not run.constants:
        function = record.function
        # The module may call constants otherwise, where Python forbids the name.
        constants = dict(zip(record.constants, run.constants.values(), strict=True))
    else:
        function, constants = record.specialisations[instance.name], {}
    try:
        if is_planned:
            bench.module.Launcher(record, **constants).launch(prepared.grid, *prepared.arguments)
        else:
            function[prepared.grid](*prepared.arguments, **constants)
        wait(bench)
    except Exception as error:
        # Triton raises classes of every kind: its own, LLVM's, and in the interpreter numpy's.
        raise explained(bench, run.key, error) from error


def wait(bench: Bench) -> None:
    """Until the device has done all it was given."""
    if bench.is_gpu:
        import torch  # noqa: PLC0415 - an optional dependency of a second

        torch.cuda.synchronize(bench.device)


def is_usable(bench: Bench) -> bool:
    """Whether the device answers still: after a kernel that read where no memory is, CUDA does nothing any more."""
    try:
        wait(bench)
    except RuntimeError:
        return False
    return True


def explained(bench: Bench, key: RunKey, error: Exception) -> LaunchError:
    """An error of a launch: at the Rust it comes from, if it is about the code."""
    program = bench.program
    refusal = refusal_of(
        error,
        program.text,
        bench.module.KERNELS[key.kernel].function.__name__,
        bench.module.__file__ or "",
    )
    if not refusal.is_about_code:
        return LaunchError(Verdict.ERROR, f"{type(error).__name__}: {refusal.reason}")
    found = diagnostic(refusal, f"`{key.id}`", program.text, program.source, program.rust_span)
    report = Report(source=program.source, diagnostics=(found,))
    return LaunchError(Verdict.REFUSED, render([report]).rstrip())

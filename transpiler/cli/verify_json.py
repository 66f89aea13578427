"""`verify --json`: the outcomes for other tools.

Schema version 1, as docs/verify.md has it. It grows when a key changes its meaning or goes, not when one is added.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from transpiler.harness.outcomes import ComparisonKey, Verdict
from transpiler.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.harness.outcomes import Device, Outcome, OutputError, Planned

SCHEMA_VERSION = 1


def document(device: Device | None, plans: Sequence[Planned], outcomes: Sequence[Outcome]) -> str:
    """The whole document as text."""
    compared = [it for it in outcomes if isinstance(it.key, ComparisonKey)]
    cases = [it for it in outcomes if not isinstance(it.key, ComparisonKey)]
    content = {
        "schema_version": SCHEMA_VERSION,
        "generator": {"name": "teeny-transpile", "version": __version__},
        "device": None
        if device is None
        else {
            "kind": device.kind,
            "name": device.name,
            "torch": device.torch,
            "triton": device.triton,
        },
        "summary": {
            "passed": _count(cases, Verdict.PASS),
            "failed": len(cases) - _count(cases, Verdict.PASS),
            "faults": sum(len(plan.faults) for plan in plans),
            "without_cases": sum(len(plan.uncased) for plan in plans),
            "agreeing": _count(compared, Verdict.PASS),
            "disagreeing": len(compared)
            - _count(compared, Verdict.PASS)
            - _count(compared, Verdict.NOT_COMPARED),
        },
        "files": [_file(plan, cases, compared) for plan in plans],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _count(outcomes: Sequence[Outcome], verdict: Verdict) -> int:
    return sum(outcome.verdict is verdict for outcome in outcomes)


def _file(
    plan: Planned, cases: Sequence[Outcome], compared: Sequence[Outcome]
) -> dict[str, object]:
    return {
        "file": plan.file,
        "cases_file": plan.cases,
        "faults": list(plan.faults),
        "kernels_without_cases": list(plan.uncased),
        "kernels_not_compared": dict(plan.incomparable),
        "cases": [_case(outcome) for outcome in cases if outcome.key.file == plan.file],
        "comparisons": [
            _comparison(outcome) for outcome in compared if outcome.key.file == plan.file
        ],
    }


def _case(outcome: Outcome) -> dict[str, object]:
    key, worst = outcome.key, outcome.worst
    return {
        "id": key.id,
        "kernel": key.kernel,
        "name": key.name,
        "dtypes": dict(key.dtypes),
        "constants": dict(key.constants),
        "shape": dict(key.shape),
        "verdict": outcome.verdict.value,
        "message": outcome.message,
        "error": None if worst is None else _number(worst.error),
        "torch_error": None if worst is None else _number(worst.torch_error),
        "allowed": None if worst is None else _number(worst.allowed),
        "outputs": [_output(each) for each in outcome.outputs],
        "seconds": round(outcome.seconds, 6),
    }


def _comparison(outcome: Outcome) -> dict[str, object]:
    key, worst = outcome.key, outcome.worst
    return {
        "id": key.id,
        "kernel": key.kernel,
        "operator": key.name,
        "dtypes": dict(key.dtypes),
        "blocks": dict(key.constants),
        "reference": dict(key.reference) if isinstance(key, ComparisonKey) else {},
        "shapes": list(outcome.shapes),
        "verdict": outcome.verdict.value,
        "message": outcome.message,
        "difference": None if worst is None else _number(worst.error),
        "allowed": None if worst is None else _number(worst.allowed),
        "seconds": round(outcome.seconds, 6),
    }


def _output(output: OutputError) -> dict[str, object]:
    return {
        "name": output.name,
        "dtype": output.dtype,
        "shape": list(output.shape),
        "error": _number(output.error),
        "torch_error": _number(output.torch_error),
        "allowed": _number(output.allowed),
    }


def _number(value: float | None) -> float | None:
    """The number, or None for what JSON has no number for."""
    return None if value is None or not math.isfinite(value) else value

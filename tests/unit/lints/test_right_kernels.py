"""Kernels that are right give no warning: a false alarm costs more than a fault nobody finds."""

from __future__ import annotations

from pathlib import Path

import transpiler
from transpiler.diagnostics.render.concise import render
from transpiler.diagnostics.render.report import Report

RIGHT = Path(__file__).parent / "right.rs"


def test_right_kernels_give_no_warning() -> None:
    result = transpiler.transpile(RIGHT)
    assert result.ok
    shown = render([Report(source=result.source, diagnostics=result.diagnostics)])
    assert shown == ""

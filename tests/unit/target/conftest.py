"""Lowers hand-built kernels and gives their text."""

from __future__ import annotations

import pytest

from transpiler.target.lower import lower_kernel
from transpiler.target.printer import print_function


@pytest.fixture
def python(build):
    """A function from statements of the IR to the Python of a kernel's body."""

    def lowered(*statements, parameters=(), constants=(), module_names=(), **rest):
        plan = build.plan(build.kernel("k", parameters, constants, statements, **rest))
        names = frozenset({"k", *module_names})
        function = lower_kernel(plan, "k", names, "x.rs:1").function
        lines = [line.text for line in print_function(function)]
        start = next(index for index, line in enumerate(lines) if line.endswith("):")) + 1
        return "\n".join(line[4:] for line in lines[start:])

    return lowered

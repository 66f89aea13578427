"""Whether a text calls macros of its own: few do, and those that do not need nothing else of this package."""

from __future__ import annotations

import re

KERNEL = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*kernel\b")
"""The attribute that makes a function a kernel."""

_DEFINED = re.compile(r"\bmacro_rules\s*!\s*([^\W\d]\w*)")
_CALLED = re.compile(r"([^\W\d]\w*)\s*!\s*[(\[{]")


def calls_own_macros(text: str) -> bool:
    """Whether a file with kernels may call a macro that it defines."""
    names = frozenset(_DEFINED.findall(text))
    return (
        bool(names)
        and KERNEL.search(text) is not None
        and not names.isdisjoint(_CALLED.findall(text))
    )

"""Kernels that give values away to `note`; for a process in which Triton interprets."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


def note(_value: Any, /) -> None:
    """Replaced by who launches."""


@triton.jit  # type: ignore[untyped-decorator]  # it has no types
def doubled(value: Any) -> Any:
    return value + value


@triton.jit  # type: ignore[untyped-decorator]  # it has no types
def device_functions(largest: Any) -> None:
    note(doubled(largest))
    lanes = tl.arange(0, 8) + tl.program_id(0)
    note(tl.sum(lanes))
    note(doubled(lanes))
    note(tl.max(lanes, axis=0))
    note(tl.zeros([2, 2], tl.float32).T)


@triton.jit  # type: ignore[untyped-decorator]  # it has no types
def wraps(largest: Any) -> None:
    note(largest + 1)
    note(largest * largest)
    note(-largest - 2)


@triton.jit  # type: ignore[untyped-decorator]  # it has no types
def refuses(largest: Any) -> None:
    note(doubled(largest))
    tl.static_assert(largest is None, "refused")

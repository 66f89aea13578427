"""The documentation of the kernels of stages: what their programs do, and in the place of what they are launched."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, assert_never

from transpiler.optimise.launches.layout import Execution
from transpiler.optimise.nests.nest import Loop, Store, walk_items
from transpiler.optimise.nests.work import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.optimise.launches.layout import Layout
    from transpiler.optimise.nests.work import Work


def documentation(summary: str, kernel: str, number: int = 1, count: int = 1) -> tuple[str, ...]:
    """The lines of the documentation of launch `number` of `count` in the place of a kernel."""
    which = f"Launch {number} of {count}" if count > 1 else "Launched"
    return (*wrap(summary, _WIDTH), "", f"{which} in the place of `{kernel}`.")


_WIDTH = 90
"""The columns of a line of documentation: with its place and what it begins with, 97."""


def summary(work: Work, layout: Layout) -> str:
    """What each program of a launch does."""
    reductions = [it for item in work.items if isinstance(item, Loop) for it in item.reductions]
    names = _listed(f"`{it.name}`" for it in reductions)
    match work.role:
        case Role.PARTIAL:
            parts = _listed(
                f"`{it.axis.symbol.name}`"
                for it in layout.lanes
                if it.axis.symbol in layout.reduced and it.execution is not Execution.LOOP
            )
            return f"Each program reduces its part of {parts} to a partial result of {names}."
        case Role.FINAL:
            stores = sum(isinstance(it, Store) for it in walk_items(work.items))
            has_more = stores > len(work.scratch)
            return f"Combines the partial results of {names}" + (
                ", and stores what is made of them." if has_more else "."
            )
        case Role.WHOLE:
            return f"Each program reduces {_tile(layout)} by itself."
        case Role.APPLY | Role.STORE:
            return f"Each program computes {_tile(layout)}."
    assert_never(work.role)


def _tile(layout: Layout) -> str:
    """The tile of a program, in words."""
    tiles = [it for it in layout.lanes if it.execution in {Execution.PROGRAMS, Execution.RUN}]
    if not tiles:
        return "all there is"
    extents = " by ".join(f"`{it.block}`" for it in tiles)
    axes = _listed(f"`{it.axis.symbol.name}`" for it in tiles)
    return f"{extents} indices of {axes}"


def _listed(names: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = tuple(names) or ("all there is",)
    return f"{', '.join(first)} and {last}" if first else last

"""The parts of a nest, each of which is a launch: loops, and the stores between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.optimise.nests.dependence import reaches
from transpiler.optimise.nests.nest import Loop
from transpiler.optimise.nests.work import needed
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Item


class Group(NamedTuple):
    """Consecutive items that are one part: a loop alone, or stores."""

    items: tuple[Item, ...]

    @property
    def loop(self) -> Loop | None:
        """The loop, if it is one."""
        first = self.items[0]
        return first if isinstance(first, Loop) else None


def groups(items: Iterable[Item]) -> list[Group]:
    """The parts of a nest, names left out."""
    found: list[Group] = []
    for item in items:
        if isinstance(item, Loop):
            found.append(Group((item,)))
        elif not isinstance(item, ir.Let):
            if found and found[-1].loop is None:
                found[-1] = Group((*found[-1].items, item))
            else:
                found.append(Group((item,)))
    return found


def joined(every: list[Group], items: tuple[Item, ...], indices: Indices) -> list[Group]:
    """The parts of a nest of `items`, with stores moved to earlier ones where that saves a launch.

    Stores may come before loops that leave nothing behind and have nothing to do with them. They join the stores there,
    or what is stored of a reduction.
    """
    found: list[Group] = []
    for group in every:
        place = len(found)
        while place and _may_come_before(group, found[place - 1], items, indices):
            place -= 1
        before = found[place - 1] if 0 < place < len(found) else None
        if before is not None and before.loop is not None and before.loop.reductions:
            found.insert(place, group)
        elif (
            before is not None and before.loop is None and _are_apart(group, before, items, indices)
        ):
            found[place - 1] = Group((*before.items, *group.items))
        else:
            found.append(group)
    return found


def _may_come_before(group: Group, other: Group, items: tuple[Item, ...], indices: Indices) -> bool:
    """Whether stores may come before another part, a loop whose results nobody waits for."""
    return (
        group.loop is None
        and other.loop is not None
        and not other.loop.reductions
        and _are_apart(group, other, items, indices)
    )


def _are_apart(one: Group, other: Group, items: tuple[Item, ...], indices: Indices) -> bool:
    """Whether neither of two parts reads or writes what the other one writes, in the names that they need either."""
    reached = [list(reaches(needed(items, it.items), indices)) for it in (one, other)]
    every, written = (
        [{it.root for it in found if it.is_store or not only} for found in reached]
        for only in (False, True)
    )
    return every[0].isdisjoint(written[1]) and every[1].isdisjoint(written[0])

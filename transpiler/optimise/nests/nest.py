"""A kernel as a nest: what it computes for one index of every axis, whatever tiles it was written in.

Axes are those of the grid and the loops. An expression of a nest stands for one number: a tile of `BLOCK` lanes that a
loop moves along is one index of the loop's axis, and an accumulator of as many lanes is one number that iterations
combine into. Types of expressions are those of the kernel as written; only their dtypes count.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.dump import dump_expression
from transpiler.ir.nodes import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.ir.extent import AtLeast
    from transpiler.ir.launch_plan import Quantity
    from transpiler.ops.model import Op
    from transpiler.source import Span


class AxisKind(Enum):
    """What runs through the indices of an axis, as the kernel is written."""

    PROGRAM = "program"
    LOOP = "loop"
    RUN = "run"
    """Nothing: they are the lanes of one tile, which has its axis's `tile` of them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Axis:
    """The indices `start`, `start + 1`, … up to `stop`, that one left out, each known as `symbol` where it counts.

    `place` tells which axis of the grid it is. `tile` is the const generic by whose lanes the loop advanced, if any; of
    a run it is the number of its lanes.
    `note` tells readers of a stage what the indices are, where the kernel has no such axis.
    """

    symbol: ir.Symbol
    kind: AxisKind
    start: ir.Expression
    stop: ir.Expression
    span: Span
    place: int = 0
    tile: ir.Symbol | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Combine:
    """What makes one value of two: an operator, or the operation `pairwise`; `reduce` does so across lanes."""

    identity: float
    reduce: Op
    pairwise: Op | None = None

    @property
    def is_extremum(self) -> bool:
        """Whether it takes one of two values, so that combining one twice changes nothing."""
        return math.isinf(self.identity)

    def of(self, left: float, right: float) -> float:
        """What it makes of two numbers.

        Raises:
            ValueError: the row of its operation does not say.
        """
        if self.pairwise is None or self.pairwise.value is None:
            raise ValueError(self.reduce.name)
        return self.pairwise.value(left, right)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reduction:
    """The variable `symbol` that iterations of a loop combine into; it starts from the identity, or from `initial`.

    `initial` changes nothing however often it is combined. Behind the loop `symbol` is the result, called `name`.
    `layout` is that of the variable, `result_layout` that of the result.
    """

    symbol: ir.Symbol
    combine: Combine
    initial: ir.Expression | None
    name: str
    span: Span
    layout: ir.Layout = PLAIN
    result_layout: ir.Layout = PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A store: its pointers, value and mask are arguments of `call`."""

    call: ir.OpCall
    span: Span
    layout: ir.Layout = PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Accumulate:
    """Combine `term` into the variable of a reduction."""

    symbol: ir.Symbol
    term: ir.Expression
    span: Span
    layout: ir.Layout = PLAIN


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loop:
    """`items` for each index of `axis`; `reductions` are what its iterations, inner loops included, leave behind."""

    axis: Axis
    items: tuple[Item, ...]
    reductions: tuple[Reduction, ...]
    span: Span
    layout: ir.Layout = PLAIN


Item: TypeAlias = ir.Let | Store | Accumulate | Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """What `kernel` computes: `items` for each index of the axes of the grid, `programs`.

    It does so at a launch in which all `checks` hold and the parameters `positive` are. `ends` are the numbers at which
    axes of the grid end where these are not the extents of the grid itself.
    """

    kernel: ir.Kernel
    programs: tuple[Axis, ...]
    items: tuple[Item, ...]
    ends: tuple[Quantity, ...] = ()
    checks: tuple[AtLeast, ...] = ()
    positive: frozenset[ir.Symbol] = frozenset()


def walk_items(items: Iterable[Item]) -> Iterator[Item]:
    """All items, outer before inner."""
    for item in items:
        yield item
        if isinstance(item, Loop):
            yield from walk_items(item.items)


def item_expressions(item: Item) -> tuple[ir.Expression, ...]:
    """The expressions of an item itself; those of a loop's items are left out."""
    match item:
        case ir.Let():
            return (item.value,)
        case Store():
            return (item.call,)
        case Accumulate():
            return (item.term,)
        case Loop():
            initial = [it.initial for it in item.reductions if it.initial is not None]
            return (item.axis.start, item.axis.stop, *initial)


def dump_nest(nest: Nest) -> str:
    """The nest as stable text."""
    axes = ", ".join(f"{axis.symbol.name} < {dump_expression(axis.stop)}" for axis in nest.programs)
    return "\n".join([f"nest {nest.kernel.name}[{axes}] {{", *_lines(nest.items, "  "), "}", ""])


def _lines(items: Iterable[Item], indent: str) -> Iterator[str]:
    for item in items:
        match item:
            case ir.Let():
                yield f"{indent}let {item.symbol.name} = {dump_expression(item.value)}"
            case Store():
                yield f"{indent}{dump_expression(item.call)}"
            case Accumulate():
                yield f"{indent}{item.symbol.name} <- {dump_expression(item.term)}"
            case Loop():
                axis = item.axis
                bounds = f"{dump_expression(axis.start)}..{dump_expression(axis.stop)}"
                names = ", ".join(
                    f"{it.combine.reduce.name} {it.symbol.name} as {it.name}"
                    for it in item.reductions
                )
                left = f" reducing {names}" if names else ""
                yield f"{indent}for {axis.symbol.name} in {bounds}{left} {{"
                yield from _lines(item.items, indent + "  ")
                yield f"{indent}}}"

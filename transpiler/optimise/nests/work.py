"""What one launch computes: a part of a nest, before it is decided how it is laid out on the grid."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_expression
from transpiler.optimise.nests.expressions import Substitution
from transpiler.optimise.nests.indices import Indices
from transpiler.optimise.nests.nest import Accumulate, Loop, Store, item_expressions, walk_items
from transpiler.optimise.paragraphs import kept as with_headings
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from transpiler.ir.launch_plan import Quantity, Scratch
    from transpiler.optimise.nests.nest import Axis, Item


class Role(Enum):
    """What a launch is among those that a nest is taken apart into; its value is what its kernel is called by."""

    WHOLE = "whole"
    """All of the nest."""
    PARTIAL = "partial"
    """A loop that reduces, its iterations shared out among programs."""
    FINAL = "final"
    """Partial results combined, and what stands behind the loops."""
    APPLY = "apply"
    """A loop whose iterations are independent."""
    STORE = "store"
    """What stands between loops."""


class Part(NamedTuple):
    """The share of a loop's iterations that a program does: its `number`, and how many `parts` there are."""

    number: ir.Symbol
    parts: ir.Symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """`items` for each index of the axes `programs`, in one launch.

    `part` is there where the iterations of a loop are shared out among programs; then results are partial. `scratch` is
    memory it is the first to write, `quantities` are numbers it is given.
    """

    role: Role
    programs: tuple[Axis, ...]
    items: tuple[Item, ...]
    part: Part | None = None
    scratch: tuple[Scratch, ...] = ()
    quantities: tuple[Quantity, ...] = ()


def definitions(items: Iterable[Item]) -> dict[ir.Symbol, ir.Expression]:
    """The values of all names."""
    return {item.symbol: item.value for item in walk_items(items) if isinstance(item, ir.Let)}


def indices_of(items: Iterable[Item]) -> Indices:
    """The integers of a nest's items."""
    return Indices(definitions(items))


def symbols_read(item: Item) -> Iterator[ir.Symbol]:
    """What an item reads, inner items included."""
    for each in walk_items((item,)):
        for expression in item_expressions(each):
            yield from _reads(expression)


def _reads(node: ir.Expression) -> Iterator[ir.Symbol]:
    for each in walk_expression(node):
        if isinstance(each, ir.Read):
            yield each.symbol


def needed(items: tuple[Item, ...], wanted: Iterable[Item]) -> tuple[Item, ...]:
    """Those of `items` that are `wanted`, and the names these need, in their order."""
    lets = {item.symbol: item for item in items if isinstance(item, ir.Let)}
    kept = {id(item) for item in wanted}
    pending = [symbol for item in wanted for symbol in symbols_read(item)]
    seen: set[ir.Symbol] = set()
    while pending:
        symbol = pending.pop()
        let = lets.get(symbol)
        if let is None or symbol in seen:
            continue
        seen.add(symbol)
        kept.add(id(let))
        pending.extend(symbols_read(let))
    return tuple(item for item in items if id(item) in kept)


def taken(items: tuple[Item, ...], wanted: Iterable[Item]) -> tuple[Item, ...]:
    """What is `needed`, with the comments above what is left of paragraphs."""
    found = {id(item) for item in needed(items, wanted)}
    return with_headings(items, lambda item: id(item) in found)


def without_dead(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items without names nobody reads."""
    read = {symbol for item in items for symbol in symbols_read(item)}
    while True:
        kept = _live(items, read)
        now = {symbol for item in kept for symbol in symbols_read(item)}
        if now == read:
            return kept
        items, read = kept, now


def _live(items: tuple[Item, ...], read: set[ir.Symbol]) -> tuple[Item, ...]:
    return tuple(
        replace(item, items=_live(item.items, read)) if isinstance(item, Loop) else item
        for item in with_headings(
            items, lambda item: not isinstance(item, ir.Let) or item.symbol in read
        )
    )


def substituted(
    items: tuple[Item, ...], values: Mapping[ir.Symbol, ir.Expression]
) -> tuple[Item, ...]:
    """The items with expressions in the place of symbols."""
    rewriter = Substitution(values)
    return rewritten(items, rewriter.expression)


def rewritten(
    items: tuple[Item, ...], change: Callable[[ir.Expression], ir.Expression]
) -> tuple[Item, ...]:
    """The items with all their expressions changed."""
    return tuple(_rewritten(item, change) for item in items)


def _rewritten(item: Item, change: Callable[[ir.Expression], ir.Expression]) -> Item:
    match item:
        case ir.Let():
            return replace(item, value=change(item.value))
        case Store():
            call = change(item.call)
            if not isinstance(call, ir.OpCall):
                raise TypeError("a store stays one")
            return replace(item, call=call)
        case Accumulate():
            return replace(item, term=change(item.term))
        case Loop():
            axis = item.axis
            return replace(
                item,
                items=rewritten(item.items, change),
                axis=replace(axis, start=change(axis.start), stop=change(axis.stop)),
                reductions=tuple(
                    it if it.initial is None else replace(it, initial=change(it.initial))
                    for it in item.reductions
                ),
            )


def loops(items: Iterable[Item]) -> Iterator[Loop]:
    """All loops, outer before inner."""
    return (item for item in walk_items(items) if isinstance(item, Loop))


def axes_around(
    symbol: ir.Symbol, loop: Loop, outer: frozenset[ir.Symbol] = frozenset()
) -> Iterator[frozenset[ir.Symbol]]:
    """For each place where a term is combined into a symbol, the axes of the loops around it, from `loop` on."""
    axes = outer | {loop.axis.symbol}
    for item in loop.items:
        if isinstance(item, Accumulate) and item.symbol == symbol:
            yield axes
        elif isinstance(item, Loop):
            yield from axes_around(symbol, item, axes)

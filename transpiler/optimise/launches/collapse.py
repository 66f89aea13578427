"""Two axes of the grid that are one contiguous piece of memory together become one axis.

Where every address that varies along the inner axis `i` of extent `n` varies along the outer axis `o` by `n` times as
much, the two are the quotient and the remainder of one index `e`, and the addresses are those of `e`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import constant
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32
from transpiler.optimise.build import Build
from transpiler.optimise.nests.dependence import reaches
from transpiler.optimise.nests.expressions import IntegerRewriter, expression_of
from transpiler.optimise.nests.work import Work, indices_of, rewritten, without_dead
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.polynomial import Polynomial
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis, Item
    from transpiler.optimise.symbols import Symbols


class Collapsed(NamedTuple):
    """A work with `outer` and `inner` as one axis."""

    work: Work
    outer: Axis
    inner: Axis


def collapse(work: Work, symbols: Symbols) -> Collapsed | None:
    """The work with two of its axes as one; None where no two are."""
    indices = indices_of(work.items)
    found = list(reaches(work.items, indices))
    for outer, inner in pairs(work, indices):
        along = [it for it in found if indices.coefficient(it.offsets, inner.symbol) != constant(0)]
        length = indices.polynomial(inner.stop)
        if all(is_one(indices, it.offsets, outer, inner, length) for it in along) and any(
            indices.coefficient(it.offsets, inner.symbol) == constant(1) for it in along
        ):
            return Collapsed(_merged(work, outer, inner, symbols), outer, inner)
    return None


def pairs(work: Work, indices: Indices) -> Iterator[tuple[Axis, Axis]]:
    """The axes of the grid by twos, an outer one and an inner one that starts at 0."""
    for inner in work.programs:
        if indices.polynomial(inner.start) == constant(0):
            yield from ((outer, inner) for outer in work.programs if outer is not inner)


def is_one(
    indices: Indices, offsets: Polynomial, outer: Axis, inner: Axis, length: Polynomial
) -> bool:
    """Whether offsets vary along two axes as along one, if the inner axis has this length."""
    small = indices.coefficient(offsets, inner.symbol)
    large = indices.coefficient(offsets, outer.symbol)
    if small is None or large is None or small == constant(0):
        return False
    return large == small.times(length)


def with_one_index(
    items: tuple[Item, ...],
    outer: Axis,
    inner: Axis,
    both: ir.Symbol,
    indices: Indices,
    length: Polynomial,
) -> tuple[Item, ...]:
    """The items with `both` in what varies along two axes as along one; see `is_one`."""
    build = Build(inner.span)

    def change(node: ir.Expression) -> ir.Expression | None:
        if isinstance(node, ir.Read):
            # What the name stands for is changed where it is given.
            return None
        polynomial = indices.polynomial(node)
        small = indices.coefficient(polynomial, inner.symbol)
        if small is None or not is_one(indices, polynomial, outer, inner, length):
            return None
        rest = indices.without(polynomial, (inner.symbol, outer.symbol))
        return expression_of(rest + small.times(indices.of(both)), indices, build)

    return rewritten(items, IntegerRewriter(change).expression)


def _merged(work: Work, outer: Axis, inner: Axis, symbols: Symbols) -> Work:
    build = Build(inner.span)
    both = symbols.new("flat", I32, inner.span)
    indices = indices_of(work.items)
    length = indices.polynomial(inner.stop)
    items = with_one_index(work.items, outer, inner, both, indices, length)
    axis = replace(
        inner,
        symbol=both,
        tile=None,
        stop=build.multiply(outer.stop, inner.stop),
        place=outer.place,
        note=f"collapse-axes: {both.name} counts all {inner.symbol.name} of each {outer.symbol.name}.",
    )
    index = build.read(both)
    names = (
        ir.Let(span=inner.span, symbol=outer.symbol, value=build.divide(index, inner.stop)),
        ir.Let(span=inner.span, symbol=inner.symbol, value=build.remainder(index, inner.stop)),
    )
    programs = tuple(axis if it is outer else it for it in work.programs if it is not inner)
    return replace(work, programs=programs, items=without_dead((*names, *items)))

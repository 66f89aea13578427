"""An axis of the grid whose index is taken apart by divisions becomes two: `b` and `c` of `pid / C` and `pid % C`.

That the grid is a multiple of the divisor is for the launch to check.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.mixed_radix import ratio
from transpiler.ir import nodes as ir
from transpiler.ir.extent import AtLeast
from transpiler.ir.launch_plan import Quantity
from transpiler.ir.types import I32
from transpiler.optimise.build import Build
from transpiler.optimise.launches.split_index import (
    divisions_of,
    names_of_digits,
    without_divisions,
)
from transpiler.optimise.nests.expressions import expression_of
from transpiler.optimise.nests.extents import extent_of, extent_of_axis, rounded_down, times
from transpiler.optimise.nests.work import indices_of, substituted

if TYPE_CHECKING:
    from transpiler.analysis.polynomial import Polynomial
    from transpiler.ir.extent import Extent
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis, Item, Nest
    from transpiler.optimise.symbols import Symbols


def split_programs(nest: Nest, symbols: Symbols) -> Nest | None:
    """The nest with its axes of the grid taken apart as often as can be; None where none is."""
    found = nest
    lengths = {axis.symbol: extent_of_axis(axis, indices_of(nest.items)) for axis in nest.programs}
    while (split := _once(found, lengths, symbols)) is not None:
        found = split
    return None if found is nest else found


def _once(nest: Nest, lengths: dict[ir.Symbol, Extent], symbols: Symbols) -> Nest | None:
    """One axis taken apart in two; `lengths` are those of axes in terms of what the caller passes."""
    indices = indices_of(nest.items)
    for place, axis in enumerate(nest.programs):
        inner = _divisor(axis, nest.items, indices)
        build = Build(axis.span)
        width = None if inner is None else extent_of(inner, indices)
        stop = None if inner is None else expression_of(inner, indices, build)
        if inner is None or width is None or stop is None:
            continue
        names = names_of_digits(axis.symbol, nest.items, indices, inner)
        high, low = (symbols.new(name, I32, axis.span) for name in names)
        end = symbols.new(f"{high.name}_end", I32, axis.span, ir.SymbolKind.PARAMETER)
        length = lengths[axis.symbol]
        lengths |= {low: width, high: rounded_down(length, width)}
        items = without_divisions(axis.symbol, nest.items, indices, inner, (high, low))
        whole = build.add(build.multiply(build.read(high), stop), build.read(low))
        programs = (
            *nest.programs[:place],
            replace(axis, symbol=low, stop=stop),
            replace(axis, symbol=high, stop=build.read(end)),
            *nest.programs[place + 1 :],
        )
        quantity = Quantity(name=end.name, value=lengths[high])
        is_whole = AtLeast(value=times(lengths[high], width), bound=length)
        divisors = {it for atom in inner.atoms if (it := indices.argument(atom))}
        return replace(
            nest,
            programs=programs,
            items=substituted(items, {axis.symbol: whole}),
            ends=(*nest.ends, quantity),
            checks=(*nest.checks, is_whole),
            positive=nest.positive | divisors,
        )
    return None


def _divisor(axis: Axis, items: tuple[Item, ...], indices: Indices) -> Polynomial | None:
    """The least of what an index is divided by, all of which are its multiples."""
    divisors = [
        indices.polynomial(node.right) for node in divisions_of(axis.symbol, items, indices)
    ]
    for inner in divisors:
        if (
            inner.atoms
            and all(indices.argument(atom) is not None for atom in inner.atoms)
            and all(ratio(other, inner) is not None for other in divisors)
        ):
            return inner
    return None

"""Numbers of a variant that have two names: reductions of the same rows are shared out in the same way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir.extent import Named
from transpiler.optimise.nests.expressions import Renaming
from transpiler.optimise.nests.outright import with_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir import nodes as ir
    from transpiler.ir.extent import Extent
    from transpiler.ir.launch_plan import Quantity, Stage, Tile, Variant


def without_doubles(variant: Variant) -> Variant:
    """The variant with one name for each number, the first one."""
    doubles: dict[str, Extent] = {}
    known: dict[Extent, str] = {}
    quantities: list[Quantity] = []
    for quantity in variant.quantities:
        value = with_values(quantity.value, doubles)
        first = known.setdefault(value, quantity.name)
        if first == quantity.name:
            quantities.append(replace(quantity, value=value))
        else:
            doubles[quantity.name] = Named(first)
    if not doubles:
        return variant
    return replace(
        variant,
        quantities=tuple(quantities),
        scratch=tuple(replace(it, count=with_values(it.count, doubles)) for it in variant.scratch),
        stages=tuple(_stage(it, doubles) for it in variant.stages),
    )


def _stage(stage: Stage, doubles: Mapping[str, Extent]) -> Stage:
    return replace(
        stage,
        kernel=_kernel(stage.kernel, doubles),
        grid=tuple(with_values(it, doubles) for it in stage.grid),
        tiles=tuple(_tile(it, doubles) for it in stage.tiles),
    )


def _tile(tile: Tile, doubles: Mapping[str, Extent]) -> Tile:
    limit = None if tile.limit is None else with_values(tile.limit, doubles)
    return replace(tile, default=with_values(tile.default, doubles), limit=limit)


def _kernel(kernel: ir.Kernel, doubles: Mapping[str, Extent]) -> ir.Kernel:
    """The kernel with the other names for parameters; two that are one number are one parameter."""
    parameters: dict[str, ir.Symbol] = {}
    symbols: dict[ir.Symbol, ir.Symbol] = {}
    for symbol in kernel.parameters:
        name = doubles.get(symbol.name)
        renamed = replace(symbol, name=name.name) if isinstance(name, Named) else symbol
        symbols[symbol] = parameters.setdefault(renamed.name, renamed)
    changed = Renaming(symbols).kernel(kernel)
    return replace(changed, parameters=tuple(parameters.values()))

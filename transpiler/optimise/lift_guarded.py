"""From a kernel that may begin with guards to a nest: its axes of the grid end where programs begin to do nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from transpiler.ir import nodes as ir
from transpiler.ir.extent import AtLeast, Named
from transpiler.ir.launch_plan import GRID_NAMES, Quantity
from transpiler.ir.types import I32
from transpiler.ops.enums import ENUMS
from transpiler.optimise.build import Build
from transpiler.optimise.extents import at_least, least
from transpiler.optimise.guards import unguarded
from transpiler.optimise.indices import Indices
from transpiler.optimise.lift import lift
from transpiler.optimise.restarts import restarted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.extent import Extent
    from transpiler.optimise.nest import Axis, Nest
    from transpiler.optimise.symbols import Symbols


class Guarded(NamedTuple):
    """A nest, how long its axes of the grid are where that is not the grid, and what a launch has to check."""

    nest: Nest
    ends: tuple[Quantity, ...]
    conditions: tuple[AtLeast, ...]


def lift_guarded(
    written: ir.Kernel, functions: Mapping[ir.FunctionSymbol, ir.Function], symbols: Symbols
) -> Guarded:
    """The kernel as a nest.

    Raises:
        RefusedError: it is none, or nothing here can tell.
    """
    kernel = restarted(written, symbols)
    lets = (it for it in kernel.body.contents.statements if isinstance(it, ir.Let))
    named = {it.symbol: it.value for it in lets if not it.symbol.is_mutable}
    found, statements = unguarded(kernel.body.statements, Indices(named), ENUMS["Axis"])
    kernel = replace(kernel, body=replace(kernel.body, statements=statements))
    nest = lift(kernel, functions, symbols)
    ends: list[Quantity] = []
    programs: list[Axis] = []
    places = {member: place for place, member in enumerate(ENUMS["Axis"])}
    for axis in nest.programs:
        limits: list[Extent] = [it.limit for it in found if places[it.member] == axis.place]
        if not limits:
            programs.append(axis)
            continue
        end = symbols.new(f"{axis.symbol.name}_end", I32, axis.span, ir.SymbolKind.PARAMETER)
        ends.append(Quantity(name=end.name, value=least(Named(GRID_NAMES[axis.place]), *limits)))
        programs.append(replace(axis, stop=Build(axis.span).read(end)))
    return Guarded(
        replace(nest, programs=tuple(programs)),
        tuple(ends),
        tuple(at_least(it.limit, 1) for it in found),
    )

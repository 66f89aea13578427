"""From a kernel that may begin with guards to a nest: its axes of the grid end where programs begin to do nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.extent import Named
from transpiler.ir.launch_plan import GRID_NAMES, Quantity
from transpiler.ir.types import I32
from transpiler.ops.enums import ENUMS
from transpiler.optimise.build import Build
from transpiler.optimise.extents import at_least, least
from transpiler.optimise.guards import unguarded
from transpiler.optimise.indices import Indices, named_values
from transpiler.optimise.lift import lift
from transpiler.optimise.normal_form import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.extent import Extent
    from transpiler.optimise.nest import Axis, Nest
    from transpiler.optimise.symbols import Symbols


def lift_guarded(
    written: ir.Kernel, functions: Mapping[ir.FunctionSymbol, ir.Function], symbols: Symbols
) -> Nest:
    """The kernel as a nest, with the ends of its axes and what a launch has to check for them.

    Raises:
        RefusedError: it is none, or nothing here can tell.
    """
    kernel = normalised(written, symbols)
    indices = Indices(named_values(kernel))
    found, statements = unguarded(kernel.body.statements, indices, ENUMS["Axis"])
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
    checks = tuple(at_least(it.limit, 1) for it in found)
    return replace(nest, programs=tuple(programs), ends=tuple(ends), checks=checks)

"""From a kernel that may begin with guards to a nest: its axes of the grid end where programs begin to do nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.optimise.build import Build
from transpiler.optimise.grid import AXIS_MEMBERS
from transpiler.optimise.lifting.guards import end_of, unguarded
from transpiler.optimise.lifting.lift import lift
from transpiler.optimise.lifting.normal_form import normalised
from transpiler.optimise.nests.extents import at_least
from transpiler.optimise.nests.indices import Indices, named_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir import nodes as ir
    from transpiler.ir.launch_plan import Quantity
    from transpiler.optimise.nests.nest import Axis, Nest
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
    found, statements = unguarded(kernel.body.statements, indices, AXIS_MEMBERS)
    kernel = replace(kernel, body=replace(kernel.body, statements=statements))
    nest = lift(kernel, functions, symbols)
    ends: list[Quantity] = []
    programs: list[Axis] = []
    for axis in nest.programs:
        end = end_of(axis.symbol.name, axis.place, found, symbols, axis.span)
        if end is None:
            programs.append(axis)
            continue
        ends.append(end.quantity)
        programs.append(replace(axis, stop=Build(axis.span).read(end.symbol)))
    checks = tuple(at_least(it.limit, 1) for it in found)
    return replace(nest, programs=tuple(programs), ends=tuple(ends), checks=checks)

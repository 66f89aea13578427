"""Everything the analyses know about one kernel or function, each part computed when somebody asks for it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from transpiler.analysis.addresses import address_of
from transpiler.analysis.flow import Flow
from transpiler.analysis.masks import Masks
from transpiler.analysis.programs import Programs
from transpiler.analysis.reductions import accumulations
from transpiler.analysis.values import Values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.analysis.addresses import Address
    from transpiler.analysis.flow import Site
    from transpiler.analysis.reductions import Accumulation
    from transpiler.ir.nodes import Function, FunctionSymbol, Routine


class Facts:
    """The analyses of a kernel or function; `functions` are those it may call."""

    def __init__(self, routine: Routine, functions: Mapping[FunctionSymbol, Function]) -> None:
        self.routine = routine
        self._functions = functions
        self._addresses: dict[Site, Address | None] = {}

    @cached_property
    def flow(self) -> Flow:
        """Definitions, reads and effects."""
        return Flow(self.routine)

    @cached_property
    def values(self) -> Values:
        """Keys and polynomials."""
        return Values(self.flow)

    @cached_property
    def programs(self) -> Programs:
        """What varies from program to program."""
        return Programs(self.values, self._functions)

    @cached_property
    def masks(self) -> Masks:
        """The conditions of masks."""
        return Masks(self.values)

    @cached_property
    def accumulations(self) -> tuple[Accumulation, ...]:
        """The reductions across iterations."""
        return accumulations(self.flow, self.values)

    def address(self, site: Site) -> Address | None:
        """Where a load, a store or an atomic goes; None where it is not known to be offsets from one parameter."""
        known = self._addresses.get(site)
        if known is None and site not in self._addresses:
            known = self._addresses[site] = address_of(self.values, site)
        return known

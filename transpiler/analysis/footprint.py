"""How many elements a launch touches behind each pointer, as far as that is certain.

A launch with fewer elements behind the pointer reads or writes past its end. The number is a necessary condition:
it is 1 + the offset of an element that some program touches whatever memory holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.demands import Demands, Terms
from transpiler.analysis.furthest import furthest
from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.analysis.written import Writer
from transpiler.ir import nodes as ir
from transpiler.ir.extent import AtLeast, Footprint
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.analysis.accesses import Access
    from transpiler.analysis.kernel_accesses import Accesses, KernelAccesses
    from transpiler.analysis.quantities import Quantities


class _Bound(NamedTuple):
    """What one access, or several, need; `terms` is what they demand of the launch."""

    size: Polynomial
    terms: Terms
    is_exact: bool


class Footprints:
    """Says for kernels what a launch certainly needs behind each pointer parameter, where anything can be said.

    The kernels are such as went through all passes. Every extent of the grid is taken to be 1 and more. What has the
    same accesses, as many kernels of a file have, is worked out once.
    """

    def __init__(self, accesses: Accesses) -> None:
        self._accesses = accesses
        self._known: dict[tuple[object, ...], Mapping[int, Footprint]] = {}

    def of(self, kernel: ir.Kernel) -> Mapping[ir.Symbol, Footprint]:
        """The footprints of one kernel."""
        found = {} if _jumps(kernel) else self._found(self._accesses.of(kernel))
        return {kernel.parameters[place]: found[place] for place in sorted(found)}

    def _found(self, accesses: KernelAccesses) -> Mapping[int, Footprint]:
        quantities, known = accesses.quantities, accesses.known
        key = (*known, accesses.open_places, *quantities.all)
        if key not in self._known:
            try:
                made = _Footprints(quantities, known, accesses.open_places).all()
            except RecursionError:  # values are followed by recursion, which Python bounds
                return {}
            self._known[key] = made
        return self._known[key]


def _jumps(kernel: ir.Kernel) -> bool:
    """Whether control leaves a block other than by an early return of the kernel itself."""
    returns = [node for node in kernel.body.contents.statements if isinstance(node, ir.Return)]
    direct = [
        inner
        for node in kernel.body.statements
        for block in (
            (kernel.body,)
            if isinstance(node, ir.Return)
            else (node.then_block, node.else_block)
            if isinstance(node, ir.If)
            else ()
        )
        if block is not None
        for inner in block.statements[-1:]
        if isinstance(inner, ir.Return)
    ]
    return len(returns) > len(direct) or any(
        isinstance(node, ir.Break | ir.Continue) for node in kernel.body.contents.statements
    )


class _Footprints:
    def __init__(
        self, quantities: Quantities, accesses: tuple[Access, ...], is_open: frozenset[int]
    ) -> None:
        self._accesses = accesses
        self._quantities = quantities
        self._demands = Demands(self._quantities)
        self._writer = Writer(self._quantities)
        self._bounds: dict[int, list[_Bound]] = {}
        """What accesses need that certainly happen."""
        self._limits: dict[int, list[_Bound]] = {}
        """What the others need at most, if they happen."""
        self._found: dict[tuple[object, ...], _Bound | None] = {}
        self._made: dict[tuple[int, ...], Footprint | None] = {}
        self._open = set(is_open)
        """Parameters behind which something else is touched."""

    def all(self) -> dict[int, Footprint]:
        """The footprints behind parameters, by their places."""
        for access in self._accesses:
            if not self._add(access):
                self._open.add(access.root)
        return {
            place: found for place in self._bounds if (found := self._footprint(place)) is not None
        }

    def _add(self, access: Access) -> bool:
        bound = self._bound(access)
        if bound is None:
            return False
        table = self._bounds if access.is_certain else self._limits
        known = table.setdefault(access.root, [])
        if bound not in known:
            known.append(bound)
        return True

    def _bound(self, access: Access) -> _Bound | None:
        """What an access needs; most kernels do the same behind several pointers."""
        where = access[1:-1]
        if where in self._found:
            return self._found[where]
        bound = None
        found = furthest(self._quantities, access)
        if found is not None and len(found.size.terms) <= _MOST_TERMS:
            terms = self._demands.settled(found.demands, found.size)
            if terms is not None:
                bound = _Bound(found.size, terms, found.is_exact)
        self._found[where] = bound
        return bound

    def _footprint(self, place: int) -> Footprint | None:
        every, limits = self._bounds[place], self._limits.get(place, [])
        is_open = place in self._open
        # Each is one object wherever it is needed.
        same = (is_open, *map(id, every), 0, *map(id, limits))
        if same not in self._made:
            self._made[same] = self._united(every, limits, is_open=is_open)
        return self._made[same]

    def _united(
        self, every: list[_Bound], limits: list[_Bound], *, is_open: bool
    ) -> Footprint | None:
        """What all accesses behind a pointer need."""
        # Those that demand least of the launch: what more than these need is not claimed.
        fewest = min((set(bound.terms.others) for bound in every), key=len, default=set())
        bounds = [bound for bound in every if set(bound.terms.others) <= fewest]
        kept: list[_Bound] = []
        for bound in bounds:
            if not any(self._covers(other, bound) for other in kept):
                kept = [other for other in kept if not self._covers(bound, other)]
                kept.append(bound)
        kept = kept[:_MOST_PARTS]
        terms = Terms(
            {
                index: max(bound.terms.least.get(index, 0) for bound in kept)
                for index in dict.fromkeys(index for bound in kept for index in bound.terms.least)
            },
            tuple(dict.fromkeys(each for bound in kept for each in bound.terms.others)),
        )
        count = self._quantities.greatest(bound.size for bound in kept)
        others = sum(len(each.terms) for each in terms.others)
        if len(count.terms) > _MOST_TERMS or others > _MOST_TERMS_DEMANDED:
            return None
        return Footprint(
            count=self._writer.written(count),
            conditions=self._conditions(terms),
            is_exact=not is_open
            and all(
                bound.is_exact and self._demands.is_no_less(count, bound.size, terms)
                for bound in (*every, *limits)
            ),
        )

    def _covers(self, bound: _Bound, other: _Bound) -> bool:
        return self._demands.is_no_less(bound.size, other.size, bound.terms)

    def _conditions(self, terms: Terms) -> tuple[AtLeast, ...]:
        written = self._writer.written
        return (
            *(
                AtLeast(value=written(Polynomial((((index,), 1),))), bound=written(constant(bound)))
                for index in self._writer.ordered(terms.least)
                for bound in (terms.least[index],)
            ),
            *(
                AtLeast(value=written(plus), bound=written(minus))
                for demand in terms.others
                for plus, minus in (_sides(demand),)
            ),
        )


def _sides(demand: Polynomial) -> tuple[Polynomial, Polynomial]:
    """What is added, and what is subtracted."""
    added = Polynomial(tuple(term for term in demand.terms if term[1] > 0))
    return added, added - demand


_MOST_PARTS = 3
_MOST_TERMS = 8
_MOST_TERMS_DEMANDED = 4
"""What is longer nobody would write, or read."""

"""Whether accesses of two pointers are at the same places, program for program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.addresses import mask_of
from transpiler.analysis.facts import Facts
from transpiler.analysis.polynomial import LaneAtom, ProgramAtom, SymbolAtom
from transpiler.host.counterparts import stem_of
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from transpiler.analysis.flow import Site
    from transpiler.analysis.polynomial import Polynomial
    from transpiler.analysis.values import Values
    from transpiler.ir.nodes import Function, FunctionSymbol, Kernel, Symbol

_Offsets = frozenset[tuple[tuple[str, ...], int]]


class _Place(NamedTuple):
    """Offsets, in names that mean the same in every kernel; `mask` compares within one kernel alone."""

    offsets: _Offsets
    mask: Hashable


class Places:
    """Where a kernel loads and stores."""

    def __init__(self, kernel: Kernel, functions: Mapping[FunctionSymbol, Function]) -> None:
        self._of: dict[Symbol, set[_Place]] = {}
        self._of_some: set[Symbol] = set()
        facts = Facts(kernel, functions)
        try:
            self._is_known = not facts.flow.calls and all(
                self._add(facts, site)
                for site in (*facts.flow.loads, *facts.flow.stores, *facts.flow.atomics)
            )
        except RecursionError:  # values are followed by recursion, which Python bounds
            self._is_known = False
        facts.flow.close()

    def _add(self, facts: Facts, site: Site) -> bool:
        """Take down where an access goes; False where that is not known."""
        address = facts.address(site)
        offsets = None if address is None else _offsets(facts.values, address.offsets)
        if address is None or offsets is None:
            return False
        mask = mask_of(site)
        key = None if mask is None else facts.values.key(mask)
        self._of.setdefault(address.root, set()).add(_Place(offsets, key))
        if site.guards:
            self._of_some.add(address.root)
        return True

    def are_same(self, symbol: Symbol, other: Symbol) -> bool:
        """Whether the kernel touches exactly the same elements of two tensors."""
        found = self._of.get(symbol)
        return (
            self._is_known
            and found is not None
            and found == self._of.get(other)
            and not {symbol, other} & self._of_some
        )

    def offsets(self, symbol: Symbol) -> frozenset[_Offsets] | None:
        """Where a program touches a tensor, whatever decides which of its lanes do; None where that is not known."""
        found = self._of.get(symbol)
        return frozenset(it.offsets for it in found) if self._is_known and found else None


def _offsets(values: Values, polynomial: Polynomial) -> _Offsets | None:
    """A polynomial by the names of what it is made of; None where that has no name outside its kernel."""
    terms: list[tuple[tuple[str, ...], int]] = []
    for product, factor in polynomial.terms:
        names = [_atom(values, index) for index in product]
        known = [name for name in names if name is not None]
        if len(known) != len(names):
            return None
        terms.append((tuple(sorted(known)), factor))
    return frozenset(terms)


def _atom(values: Values, index: int) -> str | None:
    match values.atoms[index]:
        case SymbolAtom(symbol=symbol):
            return stem_of(symbol)
        case ProgramAtom(axis=axis):
            return f"program {axis}"
        case LaneAtom(dimension=dimension, extent=extent):
            found = _offsets(values, extent)
            return None if found is None else f"lane {dimension} of {sorted(found)}"
        case _:
            return None

"""Whether accesses of two pointers are at the same places, program for program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from transpiler.analysis.addresses import mask_of
from transpiler.analysis.facts import Facts
from transpiler.analysis.polynomial import LaneAtom, ProgramAtom, SymbolAtom
from transpiler.host.counterparts import stem_of

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
        self._facts = Facts(kernel, functions)
        flow = self._facts.flow
        self._is_known = not flow.calls
        self._of: dict[Symbol, set[_Place]] = {}
        self._of_some: set[Symbol] = set()
        if self._is_known:
            for site in (*flow.loads, *flow.stores, *flow.atomics):
                self._add(site)

    def _add(self, site: Site) -> None:
        address = self._facts.address(site)
        if address is None:
            self._is_known = False
            return
        offsets = _offsets(self._facts.values, address.offsets)
        if offsets is None:
            self._is_known = False
            return
        mask = mask_of(site)
        key = None if mask is None else self._facts.values.key(mask)
        self._of.setdefault(address.root, set()).add(_Place(offsets, key))
        if site.guards:
            self._of_some.add(address.root)

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

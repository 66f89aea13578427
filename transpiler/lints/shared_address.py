"""Addresses that several programs write without an atomic: whole ones, and those where their tiles overlap."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import prod
from typing import TYPE_CHECKING

from transpiler.analysis.addresses import mask_of
from transpiler.analysis.masks import Negative
from transpiler.analysis.polynomial import (
    LaneAtom,
    Polynomial,
    ProgramAtom,
    SymbolAtom,
    VariableAtom,
)
from transpiler.analysis.programs import NOTHING, Coordinate, Part, Whole
from transpiler.analysis.values import named_value
from transpiler.diagnostics.model import Label
from transpiler.ir import nodes as ir
from transpiler.ir.visit import child_expressions
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.analysis.addresses import Address
    from transpiler.analysis.flow import Site
    from transpiler.analysis.values import Values
    from transpiler.lints.lint import Subject

# Extents to try for const generics: only what holds for all of them is reported.
_EXTENTS = (16, 32, 128)
_MOST_GENERICS = 3
_MOST_PROGRAMS = 64
_MOST_STORES = 32


def shared_address(subject: Subject) -> None:
    """Report stores that several programs make to one address."""
    flow = subject.facts.flow
    if not flow.programs or not flow.stores:
        return
    tiles: list[_Tile] = []
    for site in flow.stores:
        address = subject.facts.address(site)
        if address is None:
            continue
        if _is_of_one_program(subject, address) or not _is_shared(subject, site, address):
            tile = _tile(subject, site, address)
            if tile is not None:
                tiles.append(tile)
    _overlaps(subject, tiles)


def _is_of_one_program(subject: Subject, address: Address) -> bool:
    """Whether the address tells the place along every axis the kernel asks for, which most do."""
    facts = subject.facts
    if facts.flow.calls:
        return False  # a function may ask for others
    own = facts.programs.coordinates(address.pointers)
    known = facts.programs.determined(own, own)
    return all(facts.programs.coordinates(call) <= known for call in facts.flow.programs)


def _coordinates(subject: Subject) -> frozenset[Coordinate]:
    """The coordinates that anything the kernel does to memory depends on."""
    programs, flow = subject.facts.programs, subject.facts.flow
    return NOTHING.union(
        *(
            programs.coordinates(argument)
            for site in (*flow.loads, *flow.stores, *flow.atomics)
            for argument in site.call.arguments
            if not isinstance(argument, ir.PLAIN_ARGUMENTS)
        )
    )


# --- One address for several programs -------------------------------------------------------------


def _is_shared(subject: Subject, site: Site, address: Address) -> bool:
    programs, every = subject.facts.programs, _coordinates(subject)
    value = named_value(site.call, "src", "value")
    if value is None:
        return False
    known = programs.determined(programs.coordinates(address.pointers), every)
    conditions = [guard.condition for guard in site.guards]
    mask = mask_of(site)
    if mask is not None:
        conditions.append(mask)
    if any(programs.coordinates(condition) - known for condition in conditions):
        return False
    if any(not _bounds_of(loop, subject) <= known for loop in site.loops):
        return False
    if _is_atomic_otherwise(subject, site, address):
        return False
    read = _read_back(subject, value, address)
    missing = (every if read is not None else programs.coordinates(value)) - known
    if not missing:
        return False
    which = _words(subject, missing)
    if read is not None:
        subject.sink.emit(
            "W0606",
            f"programs that differ in {which} read, change and write the same addresses",
            site.call.span,
            label="another program may have written since the load",
            related=(Label(span=read.span, message="what is stored depends on this load"),),
            help="use an atomic, such as `T::atomic_add`, or give each program addresses of its own",
        )
    else:
        subject.sink.emit(
            "W0604",
            f"programs that differ in {which} store different values to the same addresses",
            site.call.span,
            label="the last program to come wins",
            related=(
                Label(span=address.pointers.span, message="every one of them has this address"),
            ),
            help="let the offsets depend on the program, or add up with `T::atomic_add`",
        )
    return True


def _is_atomic_otherwise(subject: Subject, site: Site, address: Address) -> bool:
    """Whether the other way of a condition updates the same address atomically, as where one program may be alone."""
    for other in subject.facts.flow.atomics:
        found = subject.facts.address(other)
        if found is not None and found[:2] == address[:2]:
            for guard in other.guards:
                if any(
                    it.condition is guard.condition and it.holds != guard.holds
                    for it in site.guards
                ):
                    return True
    return False


def _bounds_of(loop: ir.Statement, subject: Subject) -> frozenset[Coordinate]:
    programs = subject.facts.programs
    match loop:
        case ir.For(start=start, stop=stop):
            return programs.coordinates(start) | programs.coordinates(stop)
        case _:
            return NOTHING


def _read_back(subject: Subject, value: ir.Expression, address: Address) -> ir.OpCall | None:
    """A load of the stored address that the stored value depends on."""
    facts = subject.facts
    loads = {id(site.call): site for site in facts.flow.loads}
    seen: set[int] = set()
    pending = [value]
    while pending:
        node = facts.values.value(pending.pop())
        if id(node) in seen:
            continue
        seen.add(id(node))
        site = loads.get(id(node))
        if site is not None:
            found = facts.address(site)
            if found is not None and found[:2] == address[:2]:
                return site.call
            continue
        pending.extend(child_expressions(node))
    return None


def _words(subject: Subject, missing: frozenset[Coordinate]) -> str:
    names = set()
    for each in missing:
        if isinstance(each, Whole):
            names.add(f"their place along axis {each.axis}")
        else:
            names.add(_part(subject, each))
    return " and ".join(sorted(names))


def _part(subject: Subject, part: Part) -> str:
    expressions = subject.facts.values.expressions
    left, right = expressions.get(part.dividend), expressions.get(part.divisor)
    if left is None or right is None:
        return "a part of their place"
    operator = "%" if part.is_remainder else "/"
    text = f"{subject.source.slice(left.span)} {operator} {subject.source.slice(right.span)}"
    return f"`{text}`" if "\n" not in text else "a part of their place"


# --- Tiles that overlap ---------------------------------------------------------------------------


class _Tile(NamedTuple):
    """`stride` times the program's place along `axis`, plus `start`, plus each of `extent` lanes."""

    site: Site
    root: ir.Symbol
    axis: int
    stride: Polynomial
    start: Polynomial
    extent: Polynomial


def _tile(subject: Subject, site: Site, address: Address) -> _Tile | None:
    """The addresses of a store, where nothing but const generics decides how far programs are apart."""
    values = subject.facts.values
    kinds = {index: values.atoms[index] for index in address.offsets.atoms}
    lanes = [index for index, atom in kinds.items() if isinstance(atom, LaneAtom)]
    axes = [index for index, atom in kinds.items() if isinstance(atom, ProgramAtom)]
    if len(lanes) != 1 or len(axes) != 1 or site.guards or site.loops:
        return None
    lane, axis = kinds[lanes[0]], axes[0]
    if address.offsets.coefficient(lanes[0]).constant != 1 or not isinstance(lane, LaneAtom):
        return None
    start = Polynomial(
        tuple(
            (term, factor)
            for term, factor in address.offsets.terms
            if axis not in term and lanes[0] not in term
        )
    )
    mask = mask_of(site)
    if mask is not None and not all(
        isinstance(term.condition, Negative)
        and _is_still(values, term.condition.polynomial - address.offsets)
        for term in subject.facts.masks.terms(mask)
    ):
        return None
    return _Tile(site, address.root, axis, address.offsets.coefficient(axis), start, lane.extent)


def _is_still(values: Values, polynomial: Polynomial) -> bool:
    return not any(
        isinstance(atom, LaneAtom | ProgramAtom | VariableAtom)
        for atom in values.atoms_of(polynomial)
    )


def _overlaps(subject: Subject, tiles: list[_Tile]) -> None:
    values = subject.facts.values
    for first, second in combinations_with_replacement(tiles[:_MOST_STORES], 2):
        if (first.root, first.axis, first.stride) != (second.root, second.axis, second.stride):
            continue
        apart = second.start - first.start
        involved = (first.stride, apart, first.extent, second.extent)
        if not all(
            _overlap(*(_evaluated(each, extents) for each in involved))
            for extents in _choices(values, involved)
        ):
            continue
        is_one = first is second
        subject.sink.emit(
            "W0604",
            f"the tiles that neighbouring programs store to `{first.root.name}` overlap",
            second.site.call.span,
            label="the tile is longer than the step from program to program"
            if is_one
            else "part of this tile belongs to another program",
            related=()
            if is_one
            else (Label(span=first.site.call.span, message="which stores it here"),),
            help="step by the extent of the tile: `program * BLOCK + T::arange(0, BLOCK)`",
        )


def _choices(values: Values, involved: tuple[Polynomial, ...]) -> Iterator[Mapping[int, int]]:
    """Extents for the const generics; nothing to go by, hence no overlap, where anything else counts."""
    atoms = sorted(frozenset().union(*(each.atoms for each in involved)))
    is_constant = all(
        isinstance(atom, SymbolAtom) and atom.symbol.kind is ir.SymbolKind.CONST_GENERIC
        for atom in map(values.atoms.__getitem__, atoms)
    )
    if not is_constant or len(atoms) > _MOST_GENERICS:
        yield {}
        return
    for extents in product(_EXTENTS, repeat=len(atoms)):
        yield dict(zip(atoms, extents, strict=True))


def _evaluated(polynomial: Polynomial, extents: Mapping[int, int]) -> int | None:
    if not polynomial.atoms <= extents.keys():
        return None
    return sum(
        factor * prod(extents[index] for index in atoms) for atoms, factor in polynomial.terms
    )


def _overlap(stride: int | None, apart: int | None, first: int | None, second: int | None) -> bool:
    """Whether `[0, first)` meets `[k * stride + apart, … + second)` for a program `k` steps away."""
    if not stride or apart is None or first is None or second is None:
        return False
    return any(
        -second < step * stride + apart < first
        for step in range(-_MOST_PROGRAMS, _MOST_PROGRAMS + 1)
        if step
    )

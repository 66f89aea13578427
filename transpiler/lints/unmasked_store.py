"""Stores without a mask past the bound that other accesses of the kernel keep to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.addresses import mask_of
from transpiler.analysis.masks import Negative
from transpiler.analysis.polynomial import (
    LaneAtom,
    Polynomial,
    ProgramAtom,
    SymbolAtom,
    VariableAtom,
    constant,
)
from transpiler.diagnostics.model import Label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.addresses import Address
    from transpiler.analysis.flow import Site
    from transpiler.analysis.masks import MaskTerm
    from transpiler.analysis.values import Values
    from transpiler.ir import nodes as ir
    from transpiler.lints.lint import Subject


def unmasked_store(subject: Subject) -> None:
    """Report them."""
    facts = subject.facts
    bare = [site for site in facts.flow.stores if mask_of(site) is None]
    if not bare:
        return
    siblings = list(_siblings(subject))
    if not siblings:
        return
    for site in bare:
        address = facts.address(site)
        if address is None or not facts.values.lanes(address.offsets):
            continue
        found = _exceeded(subject, site, address, siblings)
        if found is not None:
            mask, term = found
            bound = subject.text(term.source.span, "the bound")
            subject.sink.emit(
                "W0602",
                "this store has no mask, and its offsets go as far as those masked elsewhere",
                site.call.span,
                label=f"lanes where {bound} fails are written too",
                related=(Label(span=mask.span, message="the mask of another access"),),
                help=f"pass {subject.text(mask.span, 'the same mask')} as its mask: `Some(…)`",
            )


def _siblings(subject: Subject) -> Iterator[tuple[Polynomial | None, ir.Expression, MaskTerm]]:
    """The masked accesses: their offsets, the mask, and each condition of it on lanes."""
    facts = subject.facts
    for site in (*facts.flow.loads, *facts.flow.stores, *facts.flow.atomics):
        mask = mask_of(site)
        if mask is None:
            continue
        address = facts.address(site)
        for term in facts.masks.terms(mask):
            if isinstance(term.condition, Negative) and facts.values.lanes(
                term.condition.polynomial
            ):
                yield None if address is None else address.offsets, mask, term


def _exceeded(
    subject: Subject,
    site: Site,
    address: Address,
    siblings: list[tuple[Polynomial | None, ir.Expression, MaskTerm]],
) -> tuple[ir.Expression, MaskTerm] | None:
    values = subject.facts.values
    for offsets, mask, term in siblings:
        condition = term.condition
        if not isinstance(condition, Negative):
            continue
        moving, bound = _split(values, condition.polynomial)
        if not _lane_atoms(values, moving) <= _lane_atoms(values, address.offsets):
            continue
        is_same = address.offsets in {offsets, moving}
        if not is_same and not _is_in_rows(address.offsets - moving, bound):
            continue
        if not _is_guarded(subject, site, condition.polynomial, bound):
            return mask, term
    return None


def _split(values: Values, polynomial: Polynomial) -> tuple[Polynomial, Polynomial]:
    """What moves from lane to lane and program to program, and the bound it is compared with."""
    moving: list[tuple[tuple[int, ...], int]] = []
    fixed: list[tuple[tuple[int, ...], int]] = []
    for product, factor in polynomial.terms:
        moves = any(
            isinstance(values.atoms[index], LaneAtom | ProgramAtom | VariableAtom)
            for index in product
        )
        (moving if moves else fixed).append((product, factor))
    return Polynomial(tuple(moving)), -Polynomial(tuple(fixed))


def _lane_atoms(values: Values, polynomial: Polynomial) -> frozenset[int]:
    return frozenset(
        index for index in polynomial.atoms if isinstance(values.atoms[index], LaneAtom)
    )


def _is_in_rows(rest: Polynomial, bound: Polynomial) -> bool:
    """Whether the rest of the offsets are whole rows as long as the bound."""
    if len(bound.terms) != 1 or not rest.terms:
        return False
    ((wanted, factor),) = bound.terms
    return (
        len(wanted) == 1 and factor == 1 and all(wanted[0] in product for product, _ in rest.terms)
    )


def _is_guarded(subject: Subject, site: Site, condition: Polynomial, bound: Polynomial) -> bool:
    """Whether a condition around the store may keep it within the bound."""
    values, masks = subject.facts.values, subject.facts.masks
    symbols = {index for index in bound.atoms if isinstance(values.atoms[index], SymbolAtom)}
    furthest = _furthest(values, condition)
    for guard in site.guards:
        for term in masks.terms(guard.condition):
            if not isinstance(term.condition, Negative):
                if not guard.is_loop:
                    return True
                continue
            own = term.condition.polynomial
            if not guard.is_loop:
                if own.atoms & symbols:
                    return True
                continue
            beyond = (furthest - own).constant
            if beyond is not None and beyond <= 0:
                return True
    return False


def _furthest(values: Values, polynomial: Polynomial) -> Polynomial:
    """The polynomial in the last lane."""
    result = polynomial
    for index in polynomial.atoms:
        atom = values.atoms[index]
        if isinstance(atom, LaneAtom):
            lane = Polynomial((((index,), 1),))
            factor = polynomial.coefficient(index)
            result = result - factor.times(lane) + factor.times(atom.extent - constant(1))
    return result

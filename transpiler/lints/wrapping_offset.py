"""Integers of 32 bits that pass 2³¹ although every tensor has fewer elements."""

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
)
from transpiler.analysis.values import copied
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor

if TYPE_CHECKING:
    from transpiler.analysis.values import Values
    from transpiler.lints.lint import Subject


def wrapping_offset(subject: Subject) -> None:
    """Report masks that compare what may have wrapped, and conversions to 64 bits that come too late."""
    _compared(subject)
    _converted(subject)


def _compared(subject: Subject) -> None:
    facts = subject.facts
    told: set[int] = set()
    for site in (*facts.flow.loads, *facts.flow.stores, *facts.flow.atomics):
        mask = mask_of(site)
        if mask is None:
            continue
        terms = facts.masks.terms(mask)
        polynomials = [
            term.condition.polynomial for term in terms if isinstance(term.condition, Negative)
        ]
        for term in terms:
            if not isinstance(term.condition, Negative) or id(term.source) in told:
                continue
            if not _is_narrow(_compared_value(term.source)):
                continue
            scaled = _flattened_lanes(facts.values, term.condition.polynomial)
            if any(_is_bounded(facts.values, lane, polynomials) for lane in scaled) or not scaled:
                continue
            told.add(id(term.source))
            subject.sink.emit(
                "W0607",
                "what this mask compares may have passed 2³¹ in lanes outside",
                term.source.span,
                label="an index times a run-time size, compared after the multiplication",
                notes=(
                    "a lane past the end is whole rows too far; where that wraps, it passes the mask",
                ),
                help="compare the index before it is multiplied: `rows.lt(n_rows)`",
            )


def _compared_value(node: ir.Expression) -> ir.Expression:
    match node:
        case ir.Binary(left=left):
            return left
        case ir.OpCall():
            return next(
                (it for it in node.arguments if not isinstance(it, ir.PLAIN_ARGUMENTS)), node
            )
        case _:
            return node


def _scaled_lanes(values: Values, polynomial: Polynomial) -> set[int]:
    """The lanes that a run-time parameter multiplies."""
    found: set[int] = set()
    for product, _ in polynomial.terms:
        atoms = [values.atoms[index] for index in product]
        if any(_is_run_time_symbol(atom) for atom in atoms):
            found.update(
                index
                for index, atom in zip(product, atoms, strict=True)
                if isinstance(atom, LaneAtom)
            )
    return found


def _flattened_lanes(values: Values, polynomial: Polynomial) -> set[int]:
    """Those whose factor is in the bound too, a product: `rows * n < m * n`. A stride is as short as its bound."""
    sizes = {
        index
        for product, _ in polynomial.terms
        if len(product) > 1 and all(_is_run_time_symbol(values.atoms[index]) for index in product)
        for index in product
    }
    return {
        lane
        for lane in _scaled_lanes(values, polynomial)
        if polynomial.coefficient(lane).atoms & sizes
    }


def _is_bounded(values: Values, lane: int, polynomials: list[Polynomial]) -> bool:
    """Whether one of the conditions holds the lane itself below something."""
    return any(
        lane in polynomial.atoms and lane not in _scaled_lanes(values, polynomial)
        for polynomial in polynomials
    )


def _converted(subject: Subject) -> None:
    values = subject.facts.values
    for node in subject.facts.flow.widenings:
        operand = node.operand if isinstance(node, ir.Cast) else copied(node)
        if operand is None or not _is_narrow(operand):
            continue
        product = values.value(operand)
        if not isinstance(product, ir.Binary) or not _has_run_time_product(values, operand):
            continue
        subject.sink.emit(
            "W0607",
            "this is computed in 32 bits and converted to 64 afterwards",
            node.span,
            label="what passes 2³¹ has wrapped before the conversion",
            help="convert a factor, not the product: `row as i64 * stride as i64`",
        )


def _has_run_time_product(values: Values, node: ir.Expression) -> bool:
    for product, _ in values.polynomial(node).terms:
        moving = [
            atom
            for atom in (values.atoms[index] for index in product)
            if isinstance(atom, ProgramAtom | LaneAtom | VariableAtom) or _is_run_time_symbol(atom)
        ]
        if len(moving) >= 2:
            return True
    return False


def _is_run_time_symbol(atom: object) -> bool:
    return isinstance(atom, SymbolAtom) and atom.symbol.kind is ir.SymbolKind.PARAMETER


def _is_narrow(node: ir.Expression) -> bool:
    return isinstance(node.type, Scalar | Tensor) and node.type.dtype is DType.I32

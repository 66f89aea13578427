"""Lanes a mask leaves out that change what a reduction gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from transpiler.analysis.masks import Condition, MaskTerm, Negative
from transpiler.analysis.padding import Padding, Paddings, is_harmful
from transpiler.analysis.reductions import (
    is_nonnegative,
    is_truth_value,
    masked_loads,
    reduction_of,
    varies_with,
)
from transpiler.analysis.values import is_integer, named_value
from transpiler.diagnostics.model import Label
from transpiler.ir.types import Tensor
from transpiler.ops.model import ShapeMatrixProduct
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir import nodes as ir
    from transpiler.lints.lint import Subject


class _Question(NamedTuple):
    """Is `operand` neutral where `condition` does not hold?"""

    operand: ir.Expression
    identity: float
    load: ir.OpCall
    term: MaskTerm
    dimension: int
    what: str


def padded_reduction(subject: Subject) -> None:
    """Report reductions that lanes outside a mask change."""
    if not any(named_value(site.call, "mask") is not None for site in subject.facts.flow.loads):
        return
    paddings: dict[tuple[Condition, int], Paddings] = {}
    told: set[tuple[int, int]] = set()
    for question in (*_reductions(subject), *_accumulations(subject)):
        key = (question.term.condition, question.dimension)
        known = paddings.get(key)
        if known is None:
            facts = subject.facts
            known = paddings[key] = Paddings(facts.values, facts.masks, *key)
        padding = known.padding(question.operand)
        place = (id(question.operand), id(question.load))
        if place in told or not _is_harmful(subject, question, padding):
            continue
        told.add(place)
        _report(subject, question, padding, known.padding(question.load))
    for product in subject.facts.flow.products:
        _check_product(subject, product)


def _check_product(subject: Subject, call: ir.OpCall) -> None:
    """Report a matrix product that sums over lanes outside a mask which neither side has made 0."""
    facts, shape = subject.facts, call.op.shape
    if not isinstance(shape, ShapeMatrixProduct) or shape.is_packed:
        return
    left, right = named_value(call, shape.left), named_value(call, shape.right)
    if left is None or right is None:
        return
    masked = {
        term.condition: load
        for load, term in _terms(subject, right)
        if facts.masks.varies_along(term.condition, -2, 2)
    }
    for load, term in _terms(subject, left):
        if not isinstance(term.condition, Negative):
            continue
        # Along the inner dimension the columns of the left side are the rows of the right one.
        moved = facts.values.moved(term.condition.polynomial, -1)
        across = None if moved is None else Negative(moved)
        if across is None or not facts.masks.varies_along(term.condition, -1, 2):
            continue
        other = masked.get(across)
        if other is None:
            continue
        sides = (
            Paddings(facts.values, facts.masks, term.condition, -1).padding(left),
            Paddings(facts.values, facts.masks, across, -2).padding(right),
        )
        if all(is_harmful(side, 0.0) for side in sides):
            subject.sink.emit(
                "W0601",
                f"`{call.op.name}` sums over masked lanes that neither side has as 0",
                call.span,
                label="where the mask is off along the inner dimension, this adds what is not 0",
                related=tuple(
                    Label(span=each.span, message=_load_label(_fill(side)))
                    for each, side in zip((load, other), sides, strict=True)
                ),
                help="load both sides with a fill of 0: `Some(T::zeros(&[…]))`",
            )
            return


def _fill(side: Padding) -> Padding:
    return side if side.is_unset else side._replace(samples=None)


def _is_harmful(subject: Subject, question: _Question, padding: Padding) -> bool:
    if not is_harmful(padding, question.identity):
        return False
    operand, samples = question.operand, padding.samples
    if samples is None or not math.isinf(question.identity):
        return True
    # A largest or smallest is right with any fill beyond all values; integers are seldom negative.
    values = subject.facts.values
    if is_integer(operand):
        return False
    if question.identity > 0:
        return not (min(samples) >= 1 and is_truth_value(values, operand))
    return not (max(samples) <= 0 and is_nonnegative(values, operand))


def _reductions(subject: Subject) -> Iterator[_Question]:
    facts = subject.facts
    for site in facts.flow.reductions:
        reduction = reduction_of(site.call)
        if reduction is None or not isinstance(reduction.operand.type, Tensor):
            continue
        rank = len(reduction.operand.type.shape)
        for load, term in _terms(subject, reduction.operand):
            for dimension in reduction.dimensions:
                if facts.masks.varies_along(term.condition, dimension, rank):
                    yield _Question(
                        reduction.operand,
                        reduction.identity,
                        load,
                        term,
                        dimension,
                        f"`{site.call.op.name}`",
                    )


def _accumulations(subject: Subject) -> Iterator[_Question]:
    facts = subject.facts
    for accumulation in facts.accumulations:
        if not isinstance(accumulation.term.type, Tensor):
            continue
        for load, term in _terms(subject, accumulation.term):
            if not isinstance(term.condition, Negative):
                continue
            polynomial = term.condition.polynomial
            lanes = facts.values.lanes(polynomial)
            if lanes and varies_with(facts.values, polynomial, accumulation.loop):
                yield _Question(
                    accumulation.term,
                    accumulation.identity,
                    load,
                    term,
                    max(lanes),
                    f"what `{accumulation.carried.symbol.name}` accumulates",
                )


def _terms(subject: Subject, operand: ir.Expression) -> Iterator[tuple[ir.OpCall, MaskTerm]]:
    for load in masked_loads(subject.facts.values, operand).values():
        mask = named_value(load, "mask")
        if mask is not None:
            for term in subject.facts.masks.terms(mask):
                yield load, term


def _report(subject: Subject, question: _Question, padding: Padding, fill: Padding) -> None:
    operand = subject.text(question.operand.span, "the operand")
    identity = _number(question.identity)
    held = padding.constant
    if padding.is_unset:
        says, label = "are undefined", "undefined where the mask is off"
    elif held is None:
        says, label = f"are not {identity}", f"where the mask is off, this is not {identity}"
    else:
        says = f"are {_number(held)}, not {identity}"
        label = f"where the mask is off, this is {_number(held)}"
    mask = named_value(question.load, "mask")
    related = [Label(span=question.load.span, message=_load_label(fill))]
    if mask is not None:
        related.append(Label(span=mask.span, message="the mask"))
    is_direct = padding == fill
    if is_direct and fill.is_unset:
        advice = (
            f"load with a fill of {identity}: `Some(T::full(&[…], {_rust(question.identity)}))`"
        )
    elif is_direct:
        advice = f"fill with {identity} instead"
    else:
        advice = f"put {identity} back before: `T::where_(mask, …, {_tile(question.identity)})`"
    subject.sink.emit(
        "W0601",
        f"the masked lanes of {operand} {says}, and {question.what} takes them in",
        question.operand.span,
        label=label,
        related=tuple(related),
        help=advice,
    )


def _load_label(fill: Padding) -> str:
    if fill.is_unset:
        return "this load has no fill"
    return (
        "the fill comes from here"
        if fill.constant is None
        else f"this load fills with {_number(fill.constant)}"
    )


def _number(value: float) -> str:
    if value in {float("inf"), float("-inf")}:
        return "infinity" if value > 0 else "-infinity"
    return f"{value:g}"


def _rust(identity: float) -> str:
    if identity == float("inf"):
        return "f32::INFINITY"
    return "f32::NEG_INFINITY" if identity == float("-inf") else f"{identity:.1f}"


def _tile(identity: float) -> str:
    return "T::zeros(&[…])" if identity == 0.0 else f"T::full(&[…], {_rust(identity)})"

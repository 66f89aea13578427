"""A variance computed as the difference of two squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.reductions import reduction_of
from transpiler.analysis.values import copied, named_value, operands
from transpiler.diagnostics.model import Label
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor

if TYPE_CHECKING:
    from transpiler.analysis.facts import Facts
    from transpiler.lints.lint import Subject


_MOST_FACTORS = 16


def cancelling_variance(subject: Subject) -> None:
    """Report `sum(x * x) / n - mean * mean`, in all its forms."""
    facts = subject.facts
    if not facts.flow.reductions:
        return
    candidates = [
        node
        for node in facts.flow.subtractions
        if isinstance(node.type, Scalar | Tensor)
        and not (isinstance(node.type.dtype, DType) and not node.type.dtype.is_float)
    ]
    if not candidates:
        return
    sums = _Sums(facts)
    for node in candidates:
        found = _squared(sums, node)
        if found is None:
            continue
        squares, total = found
        subject.sink.emit(
            "W0605",
            "this variance is the difference of two nearly equal numbers",
            node.span,
            label="the digits they share cancel",
            related=(
                Label(span=squares.span, message="the sum of the squares"),
                Label(span=total.span, message="the sum, whose square is taken away"),
            ),
            notes=(
                "where the mean is large against the deviation, it is all error, and may be negative",
            ),
            help="sum `(x - mean) * (x - mean)` in a second pass, with 0 in masked lanes, or update mean and "
            "deviation together (Welford)",
        )


def _squared(sums: _Sums, node: ir.Binary) -> tuple[ir.OpCall, ir.OpCall] | None:
    taken: dict[int, list[ir.OpCall]] = {}
    factors = sums.factors(node.right)
    if len(factors) < 2:
        return None
    for factor in factors:
        for summand in sums.summands(factor):
            if isinstance(factor, ir.OpCall):
                taken.setdefault(sums.key(summand), []).append(factor)
    if not taken:
        return None
    for factor in sums.factors(node.left):
        for summand in sums.summands(factor):
            keys = [sums.key(each) for each in sums.factors(summand)]
            for key in set(keys):
                totals = taken.get(key, [])
                if keys.count(key) == 2 and len(totals) >= 2 and isinstance(factor, ir.OpCall):
                    return factor, totals[0]
    return None


class _Sums:
    """Products and sums, taken apart."""

    def __init__(self, facts: Facts) -> None:
        self._values = facts.values
        self._facts = facts

    def key(self, node: ir.Expression) -> int:
        """What equal values share."""
        return self._values.key(self._values.value(node))

    def factors(self, node: ir.Expression) -> list[ir.Expression]:
        """What is multiplied; what it is divided by is left out, and so are conversions. A long product has none."""
        found: list[ir.Expression] = []
        pending = [node]
        while pending:
            node = self._values.value(pending.pop())
            match node:
                case ir.Binary(operator=ir.BinaryOperator.MULTIPLY, left=left, right=right):
                    pending += [left, right]
                case ir.Binary(operator=ir.BinaryOperator.DIVIDE, left=left):
                    pending.append(left)
                case ir.Cast(operand=operand):
                    pending.append(operand)
                case ir.OpCall() if node.op.operator is ir.BinaryOperator.DIVIDE:
                    pending.append(operands(node)[0])
                case ir.OpCall() if node.op.copies:
                    source = copied(node)
                    (found if source is None else pending).append(source or node)
                case _:
                    found.append(node)
            if len(found) + len(pending) > _MOST_FACTORS:
                return []
        return found

    def summands(self, node: ir.Expression) -> list[ir.Expression]:
        """What is summed up, where the expression is a sum over lanes, or over lanes and iterations."""
        if not isinstance(node, ir.OpCall):
            return []
        reduction = reduction_of(node)
        if reduction is None or reduction.identity != 0.0:
            return []
        operand = self._values.value(reduction.operand)
        while isinstance(operand, ir.OpCall) and operand.op.selects is not None:
            # `where(mask, x, 0)` sums x.
            chosen = named_value(operand, operand.op.selects[1])
            if chosen is None:
                break
            operand = self._values.value(chosen)
        if isinstance(operand, ir.Read):
            definition = self._values.flow.definition(operand)
            return [
                each.term
                for each in self._facts.accumulations
                if each.carried is definition and each.identity == 0.0
            ]
        return [operand]

"""Strength reduction: divisions of integers become what is cheaper.

* `n % d` becomes `n - q * d` where a variable `q` holds `n / d`: both truncate, so that is its definition, whatever the
  signs. Backends that look for the pair find it themselves; written so, none has to.
* `n / 2^k` of a scalar becomes `n >> k` where `n` is known not to be negative: below 0 the division rounds up, the
  shift down. For sm_90 that is one instruction instead of four, but for places of programs, of which LLVM itself knows
  that they are not negative.

Tiles are not shifted, and no remainder becomes `n & (2^k - 1)`: Triton's analysis of addresses follows `/` and `%`, and
loses there in which groups lanes count up and what a number is a multiple of (3.4 to 3.9: a load at `lanes % 8` reads
four elements at once for sm_90, one at `lanes & 7` reads them one by one).

A product with the variable of a loop stays: it is part of a multiply-add, one instruction, where a sum that is carried
from iteration to iteration takes an addition and a register as well, and hides from Triton what the offset is a
multiple of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.costs import Costs
from transpiler.analysis.sameness import form, symbols_in
from transpiler.analysis.values import is_integer
from transpiler.ir import nodes as ir
from transpiler.ir.types import Tensor
from transpiler.ir.visit import Rewriter, walk_block
from transpiler.optimise.classic.context import ranges_of
from transpiler.optimise.flags import STRENGTH

if TYPE_CHECKING:
    from collections.abc import Hashable

    from transpiler.optimise.classic.context import ClassicContext, Report

_DIVIDE, _REMAINDER = ir.BinaryOperator.DIVIDE, ir.BinaryOperator.REMAINDER
_NO_DIVISION = "it divides no integers that only a launch knows"


def strength(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel with cheaper divisions."""
    report = context.report(STRENGTH)
    if not report.is_on:
        return kernel
    reducer = _Reducer(kernel, report)
    reduced = reducer.kernel(kernel)
    report.finish(_NO_DIVISION, kernel)
    return reduced if reducer.has_changed else kernel


class _Reducer(Rewriter):
    def __init__(self, kernel: ir.Kernel, report: Report) -> None:
        self._costs = Costs(kernel)
        self._ranges = ranges_of(kernel)
        self._report = report
        self._quotients: dict[Hashable, ir.Symbol] = {}
        self._all_quotients = {
            _operands(node)
            for node in walk_block(kernel.body)
            if isinstance(node, ir.Binary) and node.operator is _DIVIDE
        }
        self._statement: ir.Statement | None = None
        self.has_changed = False

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        outer = dict(self._quotients)
        rewritten = super().statements(statements)
        self._quotients = outer
        return rewritten

    def statement(self, node: ir.Statement) -> ir.Statement:
        outer, self._statement = self._statement, node
        rewritten = super().statement(node)
        self._statement = outer
        match node:
            case ir.Let(symbol=symbol, value=ir.Binary(operator=ir.BinaryOperator.DIVIDE) as value):
                names = (symbol, *symbols_in(value))
                if is_integer(value) and not any(name.is_mutable for name in names):
                    self._quotients.setdefault(_operands(value), symbol)
            case _:
                pass
        return rewritten

    def expression(self, node: ir.Expression) -> ir.Expression:
        rewritten = self.expression_parts(node)
        if (
            isinstance(node, ir.Binary)
            and isinstance(rewritten, ir.Binary)
            and node.operator.is_division
            and is_integer(node)
            and not self._costs.is_constant(node)
        ):
            return self._reduced(node, rewritten)
        return rewritten

    def _reduced(self, node: ir.Binary, rewritten: ir.Binary) -> ir.Binary:
        """`rewritten` in a cheaper form, if `node` has one, which is the same as the analyses know it."""
        power = _power_of_two(node.right)
        if power is None:
            return self._from_quotient(node, rewritten)
        why = self._why_no_shift(node)
        if why is not None:
            self._report.missed(why, node.span)
            return rewritten
        self._report.applied("a shift divides", node.span)
        distance = ir.Literal(span=node.right.span, type=node.right.type, value=power)
        return self._changed(rewritten, ir.BinaryOperator.SHIFT_RIGHT, distance)

    def _why_no_shift(self, node: ir.Binary) -> str | None:
        if node.operator is _REMAINDER:
            return "Triton knows what a remainder is a multiple of, but not what its lower bits are"
        if isinstance(node.type, Tensor):
            return "Triton knows which lanes have one quotient, but not which one shift"
        if self._ranges.of(node.left, at=self._statement).low < 0:
            return "the dividend may be negative, and a shift rounds down"
        return None

    def _from_quotient(self, node: ir.Binary, rewritten: ir.Binary) -> ir.Binary:
        operands = _operands(node)
        if node.operator is not _REMAINDER or operands not in self._all_quotients:
            return rewritten
        symbol = self._quotients.get(operands)
        if symbol is None:
            why = "no variable holds the quotient of the same numbers here"
            self._report.missed(why, node.span)
            return rewritten
        self._report.applied(f"`{symbol.name}` is the quotient of the same numbers", node.span)
        product = ir.Binary(
            span=node.span,
            type=symbol.type,
            operator=ir.BinaryOperator.MULTIPLY,
            left=ir.Read(span=node.span, type=symbol.type, symbol=symbol),
            right=rewritten.right,
        )
        return self._changed(rewritten, ir.BinaryOperator.SUBTRACT, product)

    def _changed(
        self, node: ir.Binary, operator: ir.BinaryOperator, right: ir.Expression
    ) -> ir.Binary:
        self.has_changed = True
        return replace(node, operator=operator, right=right)


def _operands(node: ir.Binary) -> Hashable:
    return (form(node.left), form(node.right))


def _power_of_two(node: ir.Expression) -> int | None:
    """The exponent of a literal that is a power of two above 1."""
    match node:
        case ir.Literal(value=int() as value) if value > 1 and value & (value - 1) == 0:
            return value.bit_length() - 1
        case _:
            return None

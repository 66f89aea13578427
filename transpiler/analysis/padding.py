"""What a tile holds in the lanes a mask leaves out.

The lanes of a masked load that are off hold its fill. What becomes of the fill is followed through everything that is
computed lane by lane, by computing it: values known to be the same in those lanes of one tile, such as a mean, stand
for a few arbitrary numbers, so that what holds for all of them is taken to hold. Whatever else is not known stays
unknown, and nobody may conclude anything from it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from transpiler.analysis.flow import Bound, Carried
from transpiler.analysis.masks import Condition, Negative
from transpiler.analysis.polynomial import LaneAtom
from transpiler.analysis.values import added_dimension, copied, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter, Scalar, Tensor
from transpiler.ops.model import Effect
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.analysis.masks import Masks
    from transpiler.analysis.values import Values


class Padding(NamedTuple):
    """What lanes hold: a number for each choice of the arbitrary ones; None where it is unknown.

    `is_unset` tells that a load left them undefined, `is_chosen` that the author put the value there by a selection.
    """

    samples: tuple[float, ...] | None
    is_unset: bool = False
    is_chosen: bool = False

    @property
    def constant(self) -> float | None:
        """The value, where it is one whatever the arbitrary numbers are."""
        if self.samples is None:
            return None
        first = self.samples[0]
        return first if all(each == first for each in self.samples) else None


UNKNOWN = Padding(None)
UNSET = Padding(None, is_unset=True)

# Arbitrary numbers: of both signs, within and beyond 1, with no sum or product among them that is one of the others.
_ARBITRARY = (0.3719, -1.2853, 2.6417, -0.7351, 1.4142, -2.2361, 0.5772, -0.9159, 3.3598)
_SAMPLES = 3


def constant_padding(value: float) -> Padding:
    """One value, in all choices."""
    return Padding((value,) * _SAMPLES)


class Paddings:
    """The paddings of the tiles of one kernel under a condition of a mask, seen along one dimension."""

    def __init__(self, values: Values, masks: Masks, condition: Condition, dimension: int) -> None:
        self._values = values
        self._masks = masks
        self._condition = condition
        self._dimension = dimension
        self._known: dict[int, Padding] = {}
        self._open: set[Carried] = set()

    def padding(self, node: ir.Expression) -> Padding:
        """What the expression is in the lanes where the condition does not hold."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._computed(node)
        return known

    def _computed(self, node: ir.Expression) -> Padding:
        if is_truth(node) and self._condition in self._masks.conditions(node):
            return constant_padding(0.0)
        match node:
            case ir.Literal(value=value):
                return constant_padding(float(value))
            case ir.Read():
                return self._read(node)
            case ir.BlockValue(value=value):
                return self.padding(value)
            case ir.Unary(operator=operator, operand=operand):
                inside = self.padding(operand)
                if operator is ir.UnaryOperator.NEGATE:
                    return _apply(lambda x: -x, inside)
                return _apply(lambda x: float(not x), inside) if is_truth(node) else UNKNOWN
            case ir.Binary(operator=operator, left=left, right=right):
                return self._binary(operator, left, right)
            case ir.Cast(operand=operand):
                return self._converted(node, operand)
            case ir.OpCall():
                return self._call(node)
            case _:
                return UNKNOWN

    def _read(self, node: ir.Read) -> Padding:
        definition = self._values.flow.definition(node)
        if isinstance(definition, Bound):
            return self.padding(definition.value)
        if isinstance(definition, Carried):
            return self._arbitrary(node) if self._is_uniform(node) else UNKNOWN
        return UNKNOWN

    def _binary(
        self, operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression
    ) -> Padding:
        function = _OPERATORS.get(operator)
        if function is None:
            return UNKNOWN
        a, b = self.padding(left), self.padding(right)
        if operator is ir.BinaryOperator.MULTIPLY and 0.0 in {a.constant, b.constant}:
            return UNKNOWN if a.is_unset or b.is_unset else _zero(a, b)
        if operator is ir.BinaryOperator.DIVIDE:
            if not _is_float(left):
                return UNKNOWN
            if a.constant == 0.0 and not b.is_unset and b.constant != 0.0:
                return _zero(a, b)
        if operator in _SCALINGS and _is_float(left):
            a, b = self._factor(left, a, b), self._factor(right, b, a)
        return _apply(function, a, b)

    def _factor(self, node: ir.Expression, own: Padding, other: Padding) -> Padding:
        """What scales an arbitrary number: it counts as arbitrary itself where it is known to be one number."""
        is_arbitrary = other.samples is not None and other.constant is None
        if own == UNKNOWN and is_arbitrary and self._is_one_number(node):
            return self._arbitrary(node)
        return own

    def _is_one_number(self, node: ir.Expression) -> bool:
        node = self._values.value(node)
        if self._is_uniform(node):
            return True
        match node:
            case ir.Cast(operand=operand):
                return self._is_one_number(operand)
            case ir.OpCall() if node.op.copies and added_dimension(node) is None:
                source = copied(node)
                return source is not None and self._is_one_number(source)
            case _:
                return False

    def _converted(self, node: ir.Cast, operand: ir.Expression) -> Padding:
        inside = self.padding(operand)
        if _is_float(operand) and not _is_float(node):
            return UNKNOWN
        return inside

    def _call(self, node: ir.OpCall) -> Padding:
        op = node.op
        if op.effect is Effect.READS:
            return self._load(node)
        if op.effect is not Effect.PURE:
            return UNKNOWN
        if op.selects is not None:
            condition, then, otherwise = (named_value(node, name) for name in op.selects)
            if condition is None or then is None or otherwise is None:
                return UNKNOWN
            return self._selected(condition, then, otherwise)
        if op.operator is not None:
            left, right = operands(node)[:2]
            return self._binary(op.operator, left, right)
        if op.copies:
            return self._copied(node)
        if op.value is not None:
            inside = [self.padding(operand) for operand in operands(node)]
            if not inside:
                return constant_padding(op.value())
            return _apply(op.value, *inside)
        return self._arbitrary(node) if self._is_uniform(node) else UNKNOWN

    def _load(self, node: ir.OpCall) -> Padding:
        mask = named_value(node, "mask")
        if mask is not None and self._condition in self._masks.conditions(mask):
            other = named_value(node, "other")
            return UNSET if other is None else self.padding(other)
        return self._arbitrary(node) if self._is_uniform(node) else UNKNOWN

    def _selected(
        self, condition: ir.Expression, then: ir.Expression, otherwise: ir.Expression
    ) -> Padding:
        taken = self.padding(condition).constant
        if taken is not None:
            return self.padding(then if taken else otherwise)._replace(is_chosen=True)
        a, b = self.padding(then), self.padding(otherwise)
        return a if a == b and not a.is_unset else UNKNOWN

    def _copied(self, node: ir.OpCall) -> Padding:
        source, dimension = copied(node), added_dimension(node)
        if source is None:
            return UNKNOWN
        if _is_float(source) and not _is_float(node):
            return UNKNOWN
        if dimension is None:
            return self.padding(source)
        if dimension == self._dimension:
            # The argument has no lanes along the dimension that is looked at.
            inside = self.padding(source).constant if not self._mentions_lanes() else None
            return constant_padding(inside) if inside is not None else self._arbitrary(node)
        moved = self._before(dimension)
        return UNKNOWN if moved is None else moved.padding(source)

    def _mentions_lanes(self) -> bool:
        return isinstance(self._condition, Negative) and bool(
            self._values.lanes(self._condition.polynomial)
        )

    def _before(self, dimension: int) -> Paddings | None:
        """The same question about a tile that lacks a dimension."""
        seen = self._dimension + 1 if self._dimension < dimension else self._dimension
        condition = self._condition
        if not isinstance(condition, Negative):
            return None
        names: dict[int, int] = {}
        for index in condition.polynomial.atoms:
            atom = self._values.atoms[index]
            if isinstance(atom, LaneAtom):
                if atom.dimension == dimension:
                    return None
                if atom.dimension < dimension:
                    names[index] = self._values.atom(LaneAtom(atom.dimension + 1, atom.extent))
        moved = Negative(self._values.renamed(condition.polynomial, names))
        return Paddings(self._values, self._masks, moved, seen)

    def _is_uniform(self, node: ir.Expression) -> bool:
        """Whether it is one number along the dimension, and one that data decides."""
        match node.type:
            case Scalar():
                return True
            case Tensor(shape=shape):
                return len(shape) < -self._dimension or shape[self._dimension] == 1
            case _:
                return False

    def _arbitrary(self, node: ir.Expression) -> Padding:
        if not _is_float(node):
            return UNKNOWN
        first = self._values.key(node) * _SAMPLES
        return Padding(
            tuple(_ARBITRARY[(first + index) % len(_ARBITRARY)] for index in range(_SAMPLES))
        )


def _zero(*factors: Padding) -> Padding:
    return constant_padding(0.0)._replace(is_chosen=any(each.is_chosen for each in factors))


def _apply(function: Callable[..., float], *parts: Padding) -> Padding:
    if any(part.samples is None for part in parts):
        is_unset = any(part.is_unset for part in parts) and all(
            part.samples is not None or part.is_unset for part in parts
        )
        return UNSET if is_unset else UNKNOWN
    columns = list(zip(*(part.samples for part in parts if part.samples is not None), strict=True))
    results = tuple(_computed(function, column) for column in columns)
    if len(parts) == 1 and parts[0].constant is None and any(map(math.isnan, results)):
        # A square root of what is arbitrary is that of what it is defined for.
        results = tuple(_computed(function, (abs(column[0]),)) for column in columns)
    if any(math.isnan(result) for result in results):
        return UNKNOWN
    return Padding(results, is_chosen=any(part.is_chosen for part in parts))


def _computed(function: Callable[..., float], numbers: tuple[float, ...]) -> float:
    try:
        result = function(*numbers)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan
    return float(result) if not isinstance(result, complex) else math.nan


_SCALINGS = frozenset({ir.BinaryOperator.MULTIPLY, ir.BinaryOperator.DIVIDE})
_OPERATORS: dict[ir.BinaryOperator, Callable[..., float]] = {
    ir.BinaryOperator.ADD: lambda x, y: x + y,
    ir.BinaryOperator.SUBTRACT: lambda x, y: x - y,
    ir.BinaryOperator.MULTIPLY: lambda x, y: x * y,
    ir.BinaryOperator.DIVIDE: lambda x, y: x / y,
    ir.BinaryOperator.EQUAL: lambda x, y: float(x == y),
    ir.BinaryOperator.NOT_EQUAL: lambda x, y: float(x != y),
    ir.BinaryOperator.LESS: lambda x, y: float(x < y),
    ir.BinaryOperator.LESS_EQUAL: lambda x, y: float(x <= y),
    ir.BinaryOperator.GREATER: lambda x, y: float(x > y),
    ir.BinaryOperator.GREATER_EQUAL: lambda x, y: float(x >= y),
}

# What a sum of f32 does not notice next to numbers near 1: fills that miss 0 by less come from guards such as
# `log(p + 1e-7)`.
_NEGLIGIBLE = 1e-5
# Authors write large finite numbers for an infinity; f16 holds no larger than 65,504.
_STANDS_FOR_INFINITY = 1e4


def is_neutral(value: float, identity: float) -> bool:
    """Whether a value changes nothing in a reduction with that identity, as far as authors care."""
    if math.isinf(identity):
        return value * math.copysign(1.0, identity) >= _STANDS_FOR_INFINITY
    return abs(value - identity) <= _NEGLIGIBLE


def is_harmful(padding: Padding, identity: float) -> bool:
    """Whether lanes with that padding are known to change what a reduction gives."""
    if padding.is_unset:
        return True
    if padding.samples is None or (padding.is_chosen and math.isinf(identity)):
        return False
    return not any(is_neutral(sample, identity) for sample in padding.samples)


def is_truth(node: ir.Expression) -> bool:
    """Whether an expression is a bool or a mask."""
    return isinstance(node.type, Scalar | Tensor) and node.type.dtype is DType.BOOL


def _is_float(node: ir.Expression) -> bool:
    """Whether its arithmetic is that of real numbers; a dtype that may be either counts."""
    if not isinstance(node.type, Scalar | Tensor):
        return False
    dtype = node.type.dtype
    if isinstance(dtype, DType):
        return dtype.is_float
    return isinstance(dtype, DtypeParameter) and not dtype.is_integer

"""What a launch has to fulfil, as Python over its parameters and its grid."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from transpiler.ir.extent import AnyOf, AtLeast, Equal, Number
from transpiler.ir.extent_fold import ExtentFold
from transpiler.target import model
from transpiler.target.model import Operator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from transpiler.ir.extent import Condition, Extent

POWER_OF_TWO = "_power_of_two"
"""The function of a generated module that gives the least power of two not below a number."""

ALIGNMENT = "_alignment"
"""The function of a generated module that gives the greatest power of two that divides a number."""


class ExtentSpelling(ExtentFold[model.Expression]):
    """Writes extents.

    `parameter` says how a parameter is spelled, by its place, `programs` the extent of the grid along an axis, and
    `named` what has a name, which is also what stands for extents that are `known` by one.
    """

    def __init__(
        self,
        *,
        parameter: Callable[[int], model.Expression],
        programs: Callable[[int], model.Expression],
        named: Callable[[str], model.Expression] = model.Name,
        known: Mapping[Extent, str] | None = None,
    ) -> None:
        self._parameter = parameter
        self._programs = programs
        self._named = named
        self._known = known

    def holds(self, condition: Condition) -> model.Expression:
        """`value >= bound`, `left == right`, or several of the former with `or` between them."""
        match condition:
            case Equal(left=left, right=right):
                return model.Binary(Operator.EQUAL, self.of(left), self.of(right))
            case AnyOf(conditions=conditions):
                return _chain(Operator.OR, tuple(map(self.condition, conditions)))
            case AtLeast():
                return self.condition(condition)

    def condition(self, condition: AtLeast, *, negated: bool = False) -> model.Expression:
        """`value >= bound`, or `value < bound` where it is `negated`.

        A literal stands on the right, and `7 >= n` is `n < 8`.
        """
        value, bound = self.of(condition.value), self.of(condition.bound)
        if isinstance(condition.value, Number) and not isinstance(condition.bound, Number):
            most = condition.value.value
            if most > 1:
                operator = Operator.GREATER_EQUAL if negated else Operator.LESS
                return model.Binary(operator, bound, self.number(most + 1))
            operator = Operator.GREATER if negated else Operator.LESS_EQUAL
            return model.Binary(operator, bound, value)
        operator = Operator.LESS if negated else Operator.GREATER_EQUAL
        return model.Binary(operator, value, bound)

    def of(self, extent: Extent) -> model.Expression:
        """The number as an expression."""
        if self._known and extent in self._known:
            return self._named(self._known[extent])
        return super().of(extent)

    def number(self, value: int) -> model.Expression:
        """A numeral, negated where it is negative."""
        number = model.Number(str(abs(value)))
        return model.Unary(Operator.NEGATE, number) if value < 0 else number

    def parameter(self, place: int) -> model.Expression:
        """Its spelling."""
        return self._parameter(place)

    def programs(self, axis: int) -> model.Expression:
        """Its spelling."""
        return self._programs(axis)

    def named(self, name: str) -> model.Expression:
        """Its spelling."""
        return self._named(name)

    def item_size(self, dtype: str) -> model.Expression:
        """`D.itemsize`, of the torch dtype that has the name."""
        return model.Attribute(self._named(dtype), "itemsize")

    def lookup(
        self, key: model.Expression, values: tuple[tuple[int, int], ...]
    ) -> model.Expression:
        """`{4: 512, 8: 256}[key]`."""
        entries = (tuple(model.Number(str(it)) for it in entry) for entry in values)
        return model.Subscript(model.Dict(tuple((each, value) for each, value in entries)), key)

    def power_of_two(self, value: model.Expression) -> model.Expression:
        """A call of the function of the module."""
        return model.Call(model.Name(POWER_OF_TWO), (value,))

    def alignment(self, value: model.Expression, most: model.Expression) -> model.Expression:
        """A call of the function of the module."""
        return model.Call(model.Name(ALIGNMENT), (value, most))

    def sum(
        self, added: tuple[model.Expression, ...], subtracted: tuple[model.Expression, ...]
    ) -> model.Expression:
        """`a + b - c`."""
        return _chain(Operator.SUBTRACT, (_chain(Operator.ADD, added), *subtracted))

    def product(self, factors: tuple[model.Expression, ...]) -> model.Expression:
        """`a * b`."""
        return _chain(Operator.MULTIPLY, factors)

    def quotient(
        self, dividend: model.Expression, divisor: model.Expression, *, is_up: bool
    ) -> model.Expression:
        """`a // b`, or `triton.cdiv(a, b)`."""
        if is_up:
            return model.Call(model.dotted("triton.cdiv"), (dividend, divisor))
        return model.Binary(Operator.FLOOR_DIVIDE, dividend, divisor)

    def extreme(self, parts: tuple[model.Expression, ...], *, is_least: bool) -> model.Expression:
        """`min(a, b)` or `max(a, b)`."""
        return model.Call(model.Name("min" if is_least else "max"), parts)


def _chain(operator: Operator, parts: Sequence[model.Expression]) -> model.Expression:
    return reduce(lambda left, right: model.Binary(operator, left, right), parts)

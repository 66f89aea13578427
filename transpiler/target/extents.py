"""What a launch has to fulfil, as Python over its parameters and its grid."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

from transpiler.ir.extent import (
    Division,
    Extreme,
    ItemSize,
    Named,
    Number,
    Parameter,
    PowerOfTwo,
    Product,
    Programs,
    Sum,
)
from transpiler.target import model
from transpiler.target.model import Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.ir.extent import AtLeast, Extent

POWER_OF_TWO = "_power_of_two"
"""The function of a generated module that gives the least power of two not below a number."""


class ExtentSpelling:
    """Writes extents.

    `parameter` says how a parameter is spelled, by its place, `programs` the extent of the grid along an axis, and
    `named` what has a name.
    """

    def __init__(
        self,
        *,
        parameter: Callable[[int], model.Expression],
        programs: Callable[[int], model.Expression],
        named: Callable[[str], model.Expression] = model.Name,
    ) -> None:
        self._parameter = parameter
        self._programs = programs
        self._named = named

    def condition(self, condition: AtLeast, *, negated: bool = False) -> model.Expression:
        """`value >= bound`, or `value < bound` where it is `negated`; a literal stands on the right."""
        value, bound = self.extent(condition.value), self.extent(condition.bound)
        if isinstance(condition.value, Number) and not isinstance(condition.bound, Number):
            operator = Operator.GREATER if negated else Operator.LESS_EQUAL
            return model.Binary(operator, bound, value)
        operator = Operator.LESS if negated else Operator.GREATER_EQUAL
        return model.Binary(operator, value, bound)

    def extent(self, extent: Extent) -> model.Expression:
        """The number as an expression."""
        match extent:
            case Number(value=value) if value < 0:
                return model.Unary(Operator.NEGATE, model.Number(str(-value)))
            case Number(value=value):
                return model.Number(str(value))
            case Parameter(place=place):
                return self._parameter(place)
            case Programs(axis=axis):
                return self._programs(axis)
            case Named(name=name):
                return self._named(name)
            case ItemSize(dtype=dtype):
                return model.Attribute(self._named(dtype), "itemsize")
            case PowerOfTwo(value=value):
                return model.Call(model.Name(POWER_OF_TWO), (self.extent(value),))
            case Sum(added=added, subtracted=subtracted):
                total = self._chain(Operator.ADD, added)
                for term in subtracted:
                    total = model.Binary(Operator.SUBTRACT, total, self.extent(term))
                return total
            case Product(factors=factors):
                return self._chain(Operator.MULTIPLY, factors)
            case Division(dividend=dividend, divisor=divisor, is_up=True):
                function = model.dotted("triton.cdiv")
                return model.Call(function, (self.extent(dividend), self.extent(divisor)))
            case Division(dividend=dividend, divisor=divisor):
                return model.Binary(
                    Operator.FLOOR_DIVIDE, self.extent(dividend), self.extent(divisor)
                )
            case Extreme(parts=parts, is_least=is_least):
                name = "min" if is_least else "max"
                return model.Call(model.Name(name), tuple(map(self.extent, parts)))
            case _:
                assert_never(extent)

    def _chain(self, operator: Operator, parts: tuple[Extent, ...]) -> model.Expression:
        return reduce(
            lambda left, right: model.Binary(operator, left, right), map(self.extent, parts)
        )

"""What a launch has to fulfil, as Python over its parameters and its grid."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

from transpiler.ir.extent import (
    Division,
    Extreme,
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


class ExtentSpelling:
    """Writes extents.

    `parameter` says how a parameter is spelled, by its place, `programs` the extent of the grid along an axis.
    """

    def __init__(
        self,
        *,
        parameter: Callable[[int], model.Expression],
        programs: Callable[[int], model.Expression],
    ) -> None:
        self._parameter = parameter
        self._programs = programs

    def condition(self, condition: AtLeast) -> model.Expression:
        """`value >= bound`."""
        return model.Binary(
            Operator.GREATER_EQUAL, self.extent(condition.value), self.extent(condition.bound)
        )

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
                return model.Name(name)
            case PowerOfTwo(value=value):
                return model.Call(model.dotted("triton.next_power_of_2"), (self.extent(value),))
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

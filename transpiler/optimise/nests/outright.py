"""Extents without names: what is asked before a name has its value is said in terms of what that is computed of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.extent import (
    Alignment,
    AnyOf,
    AtLeast,
    Division,
    Equal,
    Extreme,
    ItemSize,
    Lookup,
    Named,
    Number,
    Parameter,
    PowerOfTwo,
    Product,
    Programs,
    Sum,
)
from transpiler.ir.extent_fold import ExtentFold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transpiler.ir.extent import Condition, Extent
    from transpiler.ir.launch_plan import Quantity


def outright(condition: Condition, quantities: Iterable[Quantity]) -> Condition:
    """The condition with values in the place of names; what is named later is computed of what is before it."""
    values: dict[str, Extent] = {}
    fold = _Outright(values)
    for quantity in quantities:
        values[quantity.name] = fold.of(quantity.value)

    def at_least(condition: AtLeast) -> AtLeast:
        return AtLeast(value=fold.of(condition.value), bound=fold.of(condition.bound))

    match condition:
        case AnyOf(conditions=conditions):
            return AnyOf(conditions=tuple(map(at_least, conditions)))
        case Equal(left=left, right=right):
            return Equal(left=fold.of(left), right=fold.of(right))
        case AtLeast():
            return at_least(condition)


def with_values(extent: Extent, values: Mapping[str, Extent]) -> Extent:
    """The extent with values in the place of names."""
    return _Outright(values).of(extent)


class _Outright(ExtentFold["Extent"]):
    def __init__(self, values: Mapping[str, Extent]) -> None:
        self._values = values

    def number(self, value: int) -> Extent:
        return Number(value)

    def parameter(self, place: int) -> Extent:
        return Parameter(place)

    def programs(self, axis: int) -> Extent:
        return Programs(axis)

    def named(self, name: str) -> Extent:
        return self._values.get(name, Named(name))

    def item_size(self, dtype: str) -> Extent:
        return ItemSize(dtype)

    def power_of_two(self, value: Extent) -> Extent:
        return PowerOfTwo(value)

    def alignment(self, value: Extent, most: Extent) -> Extent:
        return Alignment(value, most)

    def sum(self, added: tuple[Extent, ...], subtracted: tuple[Extent, ...]) -> Extent:
        return Sum(added, subtracted)

    def product(self, factors: tuple[Extent, ...]) -> Extent:
        return Product(factors)

    def quotient(self, dividend: Extent, divisor: Extent, *, is_up: bool) -> Extent:
        return Division(dividend, divisor, is_up=is_up)

    def extreme(self, parts: tuple[Extent, ...], *, is_least: bool) -> Extent:
        return Extreme(parts, is_least=is_least)

    def lookup(self, key: Extent, values: tuple[tuple[int, int], ...]) -> Extent:
        return Lookup(key, values)

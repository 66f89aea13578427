"""What extents come to, from the inside out: as a number, as text, as an expression of another language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar, assert_never

from transpiler.ir.extent import (
    Alignment,
    Division,
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.extent import Extent

T = TypeVar("T")


class ExtentFold(ABC, Generic[T]):
    """What each kind of extent comes to, given what its parts come to."""

    def of(self, extent: Extent) -> T:
        """What an extent comes to."""
        match extent:
            case Number(value=number):
                return self.number(number)
            case Parameter(place=place):
                return self.parameter(place)
            case Programs(axis=axis):
                return self.programs(axis)
            case Named(name=name):
                return self.named(name)
            case ItemSize(dtype=dtype):
                return self.item_size(dtype)
            case PowerOfTwo(value=value):
                return self.power_of_two(self.of(value))
            case Alignment(value=value, most=most):
                return self.alignment(self.of(value), self.of(most))
            case Sum(added=added, subtracted=subtracted):
                return self.sum(tuple(map(self.of, added)), tuple(map(self.of, subtracted)))
            case Product(factors=factors):
                return self.product(tuple(map(self.of, factors)))
            case Division(dividend=dividend, divisor=divisor, is_up=is_up):
                return self.quotient(self.of(dividend), self.of(divisor), is_up=is_up)
            case Extreme(parts=parts, is_least=is_least):
                return self.extreme(tuple(map(self.of, parts)), is_least=is_least)
            case Lookup(key=key, values=values):
                return self.lookup(self.of(key), values)
        assert_never(extent)

    @abstractmethod
    def number(self, value: int) -> T:
        """A literal."""

    @abstractmethod
    def parameter(self, place: int) -> T:
        """A parameter or a const generic."""

    @abstractmethod
    def programs(self, axis: int) -> T:
        """The extent of the grid along an axis."""

    @abstractmethod
    def named(self, name: str) -> T:
        """What has a name."""

    @abstractmethod
    def item_size(self, dtype: str) -> T:
        """The bytes of an element of a dtype parameter in memory."""

    @abstractmethod
    def power_of_two(self, value: T) -> T:
        """The least power of two that is not below a number."""

    @abstractmethod
    def alignment(self, value: T, most: T) -> T:
        """The greatest power of two that a number is a multiple of, at most another one."""

    @abstractmethod
    def sum(self, added: tuple[T, ...], subtracted: tuple[T, ...]) -> T:
        """A sum of at least one term, from which others are subtracted."""

    @abstractmethod
    def product(self, factors: tuple[T, ...]) -> T:
        """A product."""

    @abstractmethod
    def quotient(self, dividend: T, divisor: T, *, is_up: bool) -> T:
        """A quotient, rounded down or up."""

    @abstractmethod
    def extreme(self, parts: tuple[T, ...], *, is_least: bool) -> T:
        """The least or the greatest of several."""

    @abstractmethod
    def lookup(self, key: T, values: tuple[tuple[int, int], ...]) -> T:
        """What values have for a key."""


def walk_extent(extent: Extent) -> Iterator[Extent]:
    """An extent, and all that it is computed of."""
    yield extent
    for part in _parts(extent):
        yield from walk_extent(part)


def names_in(extent: Extent) -> Iterator[str]:
    """What an extent refers to by name."""
    return (part.name for part in walk_extent(extent) if isinstance(part, Named))


def _parts(extent: Extent) -> tuple[Extent, ...]:
    match extent:
        case Number() | Parameter() | Programs() | Named() | ItemSize():
            return ()
        case PowerOfTwo(value=value):
            return (value,)
        case Alignment(value=value, most=most):
            return (value, most)
        case Sum(added=added, subtracted=subtracted):
            return (*added, *subtracted)
        case Product(factors=parts) | Extreme(parts=parts):
            return parts
        case Division(dividend=dividend, divisor=divisor):
            return (dividend, divisor)
        case Lookup(key=key):
            return (key,)
    assert_never(extent)

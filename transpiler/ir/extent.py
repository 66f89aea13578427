"""Numbers a launch determines, as expressions in its parameters, const generics and the extents of its grid."""

from __future__ import annotations

from typing import TypeAlias

from transpiler.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A literal, which may be negative only where it is all there is."""

    value: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter or, by a place behind all of these, a const generic."""

    place: int


@dataclass(frozen=True, slots=True)
class Programs:
    """The extent of the grid along an axis: 0, 1 or 2."""

    axis: int


@dataclass(frozen=True, slots=True)
class Named:
    """A number that has this name where the extent is used."""

    name: str


@dataclass(frozen=True, slots=True)
class ItemSize:
    """How many bytes memory has for an element of a dtype parameter."""

    dtype: str


@dataclass(frozen=True, slots=True)
class PowerOfTwo:
    """The least power of two that is not below a number, at least 1."""

    value: Extent


@dataclass(frozen=True, slots=True)
class Alignment:
    """The greatest power of two that a number is a multiple of, at most `most`, which is one itself."""

    value: Extent
    most: Extent


@dataclass(frozen=True, slots=True)
class Sum:
    """The terms that are added, and those that are subtracted from these."""

    added: tuple[Extent, ...]
    subtracted: tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Two factors and more."""

    factors: tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class Division:
    """A quotient, rounded down or up."""

    dividend: Extent
    divisor: Extent
    is_up: bool


@dataclass(frozen=True, slots=True)
class Extreme:
    """The least or the greatest of several."""

    parts: tuple[Extent, ...]
    is_least: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    """What `values` have for a number, which is one of their keys."""

    key: Extent
    values: tuple[tuple[int, int], ...]


Extent: TypeAlias = (
    Number
    | Parameter
    | Programs
    | Named
    | ItemSize
    | PowerOfTwo
    | Alignment
    | Sum
    | Product
    | Division
    | Extreme
    | Lookup
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeast:
    """That a number is no less than another."""

    value: Extent
    bound: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """That one of several conditions holds at least."""

    conditions: tuple[AtLeast, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equal:
    """That two numbers are one."""

    left: Extent
    right: Extent


Condition: TypeAlias = AtLeast | Equal | AnyOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """How many elements a launch needs behind a pointer, provided that all `conditions` hold.

    It is no more than what the launch certainly touches. `is_exact` tells that it touches nothing beyond, if no integer
    parameter is negative.
    """

    count: Extent
    conditions: tuple[AtLeast, ...]
    is_exact: bool

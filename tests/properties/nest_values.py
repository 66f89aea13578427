"""What is known of the values of a random nest while it is written."""

from __future__ import annotations

from dataclasses import dataclass

DIGITS = 22
"""Of f32 in binary, with some to spare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of the kernel: of one lane, or of the lanes of a `tile`; below `bound`, and a multiple of `grain`."""

    name: str
    bound: float
    grain: float
    tile: str | None = None

    @property
    def is_exact(self) -> bool:
        """Whether f32 holds it exactly, whatever it is."""
        return 0 < self.bound / self.grain < 2.0**DIGITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis as code sees it: `index` is its index, a tile of lanes where `tile` is its extent."""

    index: str
    extent: str
    tile: str | None = None
    mask: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accumulator:
    """A variable that a loop combines terms into, of one lane or of a `tile`; `term` is how large these may be."""

    name: str
    how: str
    tile: str | None
    term: float
    grain: float

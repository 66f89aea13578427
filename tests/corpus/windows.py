"""Launches of kernels that slide a window over images: pooling and convolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.corpus.builders import ceil_div

if TYPE_CHECKING:
    from collections.abc import Mapping


def extents(text: str) -> dict[str, int]:
    """The shape that a line describes: `h=3 w=5`."""
    return {name: int(extent) for name, _, extent in (each.partition("=") for each in text.split())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis that the window slides along."""

    size: int
    kernel: int
    stride: int = 1
    padding: int = 0

    @property
    def out(self) -> int:
        """How many places the window has."""
        return (self.size + 2 * self.padding - self.kernel) // self.stride + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window over one, two or three axes, the last of which is cut into tiles of `block`."""

    axes: tuple[Axis, ...]
    block: int

    @classmethod
    def of(cls, shape: Mapping[str, int]) -> Window:
        """The window that a shape describes by `d`, `h`, `w` or `l` with `kd`, `sd`, `pd` and so on."""
        return cls(
            axes=tuple(
                Axis(
                    size=shape[name],
                    kernel=shape[f"k{name}"],
                    stride=shape.get(f"s{name}", 1),
                    padding=shape.get(f"p{name}", 0),
                )
                for name in "dhwl"
                if name in shape
            ),
            block=shape["block"],
        )

    @property
    def size(self) -> tuple[int, ...]:
        """The extents of the input."""
        return tuple(axis.size for axis in self.axes)

    @property
    def out(self) -> tuple[int, ...]:
        """The extents of the output."""
        return tuple(axis.out for axis in self.axes)

    @property
    def kernel(self) -> tuple[int, ...]:
        """The extents of the window."""
        return tuple(axis.kernel for axis in self.axes)

    @property
    def stride(self) -> tuple[int, ...]:
        """Its steps."""
        return tuple(axis.stride for axis in self.axes)

    @property
    def padding(self) -> tuple[int, ...]:
        """What is added on each side."""
        return tuple(axis.padding for axis in self.axes)

    def programs(self, outer: int, extents: tuple[int, ...] | None = None) -> int:
        """One for each tile of each row of `outer` images of the output, or of other extents."""
        *rows, last = self.out if extents is None else extents
        programs = outer * ceil_div(last, self.block)
        for extent in rows:
            programs *= extent
        return programs

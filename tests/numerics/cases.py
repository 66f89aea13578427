"""What is run: kernel, shape, block, dtype, constants and the values planted among the inputs."""

from __future__ import annotations

import enum
import functools
import hashlib
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from tests.numerics.covering import pairwise

if TYPE_CHECKING:
    from collections.abc import Iterator


class Kernel(enum.StrEnum):
    """The six kernels, under the names they are launched by."""

    INFERENCE = "batch_norm_forward_inference"
    STATS = "batch_norm_stats_forward"
    NORMALIZE = "batch_norm_normalize_forward"
    BACKWARD = "batch_norm_backward"
    IMAGE_INFERENCE = "batch_norm_2d_nchw_forward_inference"
    IMAGE_BACKWARD = "batch_norm_2d_nchw_backward"

    @property
    def is_image(self) -> bool:
        """Whether the kernel reads `[B, C, H, W]` rather than `[N, C]`."""
        return self in (Kernel.IMAGE_INFERENCE, Kernel.IMAGE_BACKWARD)

    @property
    def block_name(self) -> str:
        """The const generic that gives the tile's width."""
        return "BLOCK_HW" if self.is_image else "BLOCK_N"


class DType(enum.StrEnum):
    """The element types, under the names that specialisations carry."""

    F32 = "f32"
    F64 = "f64"
    F16 = "f16"
    BF16 = "bf16"

    @property
    def stored(self) -> torch.dtype:
        """The stored type."""
        return _STORED[self]

    @property
    def arithmetic(self) -> torch.dtype:
        """The type a kernel computes in: half precision is widened to f32."""
        return torch.float64 if self is DType.F64 else torch.float32


_STORED = {
    DType.F32: torch.float32,
    DType.F64: torch.float64,
    DType.F16: torch.float16,
    DType.BF16: torch.bfloat16,
}


class Planted(enum.StrEnum):
    """What is planted among the finite inputs."""

    NOTHING = "finite"
    NAN = "nan"
    INFINITY = "inf"


class Form(enum.StrEnum):
    """Which function is launched: the generic kernel with its block given, or a specialisation."""

    GENERIC = "generic"
    SPECIALISED = "specialised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """The f32 arguments; `momentum` only reaches the statistics kernel."""

    eps: float
    momentum: float


DEFAULTS = Constants(eps=1e-5, momentum=0.1)
CONSTANTS = (DEFAULTS, Constants(eps=1e-3, momentum=0.37), Constants(eps=0.25, momentum=1.0))
SPECIALISED_BLOCKS = (128, 256, 1024)
BLOCKS = (16, 64, *SPECIALISED_BLOCKS)
LENGTHS = (1, 2, 3, 127, 128, 129, 1000)
CHANNELS = (1, 3, 32)
BATCHES = (1, 2, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One launch.

    Both layouts are `outer × channels × inner`: `N × C × 1` and `B × C × HW`. `offset` is the
    distance, in standard deviations, of a channel's mean from zero: it conditions the variance.
    """

    kernel: Kernel
    outer: int
    channels: int
    inner: int
    block: int
    dtype: DType
    constants: Constants = DEFAULTS
    planted: Planted = Planted.NOTHING
    form: Form = Form.GENERIC
    offset: float = 0.5

    @property
    def length(self) -> int:
        """How many elements a channel has: the count a mean divides by."""
        return self.outer * self.inner

    @property
    def function(self) -> str:
        """The name to launch."""
        if self.form is Form.SPECIALISED:
            return f"{self.kernel}__{self.dtype}__{self.block}"
        return self.kernel

    @property
    def name(self) -> str:
        """A readable identity: the test's id, and the source of its random seed."""
        shape = (
            (self.outer, self.channels, self.inner)
            if self.kernel.is_image
            else (self.outer, self.channels)
        )
        parts = [
            self.kernel,
            "x".join(map(str, shape)),
            self.dtype,
            f"block{self.block}",
            f"eps{self.constants.eps:g}",
        ]
        if self.kernel is Kernel.STATS:
            parts.append(f"momentum{self.constants.momentum:g}")
        parts += [self.planted, self.form]
        if self.offset != 0.5:
            parts.append(f"offset{self.offset:g}")
        return "-".join(parts)

    @property
    def seed(self) -> int:
        """A seed of its own for each case, the same wherever and whenever it runs."""
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:4], "big")


Row = tuple[int, int, int, int, DType, Constants, Planted, Form]


def _rows(lengths: tuple[int, ...], most_tiles: int) -> Iterator[Row]:
    """Every combination for the row layout that walks at most so many tiles in all its programs."""
    axes = itertools.product(lengths, CHANNELS, BLOCKS, DType, CONSTANTS, Planted, Form)
    for n, c, block, dtype, constants, planted, form in axes:
        if c * _tiles(n, block) <= most_tiles and _exists(form, block):
            yield n, c, 1, block, dtype, constants, planted, form


def _images(lengths: tuple[int, ...], most_tiles: int, *, by_element: bool) -> Iterator[Row]:
    """The same for the image layout; a kernel that walks it `by_element` makes a tile of each."""
    axes = itertools.product(BATCHES, CHANNELS, lengths, BLOCKS, DType, CONSTANTS, Planted, Form)
    for b, c, hw, block, dtype, constants, planted, form in axes:
        tiles = b * c * (hw if by_element else _tiles(hw, block))
        if tiles <= most_tiles and _exists(form, block):
            yield b, c, hw, block, dtype, constants, planted, form


def _tiles(length: int, block: int) -> int:
    return -(-length // block)


def _exists(form: Form, block: int) -> bool:
    return form is Form.GENERIC or block in SPECIALISED_BLOCKS


@functools.cache
def _covering(*, image: bool, by_element: bool) -> tuple[Row, ...]:
    if not image:
        return tuple(pairwise(_rows(LENGTHS, 128)))
    return tuple(pairwise(_images(LENGTHS, 1000 if by_element else 160, by_element=by_element)))


def cases(*, by_element: bool) -> Iterator[Case]:
    """The covering set of each kernel, and what is picked by hand.

    Every value of every axis meets every value of every other where the two fit the interpreter's
    pace.

    Args:
        by_element: The image backward visits single elements, so its planes are kept small.
    """
    for kernel in Kernel:
        slow = by_element and kernel is Kernel.IMAGE_BACKWARD
        for row in _covering(image=kernel.is_image, by_element=slow):
            outer, channels, inner, block, dtype, constants, planted, form = row
            yield Case(
                kernel=kernel,
                outer=outer,
                channels=channels,
                inner=inner,
                block=block,
                dtype=dtype,
                constants=constants,
                planted=planted,
                form=form,
            )
    # A mean far from zero is where a difference of large sums loses its digits.
    for dtype, offset in itertools.product(DType, (30.0, 1000.0)):
        yield Case(
            kernel=Kernel.STATS,
            outer=1000,
            channels=3,
            inner=1,
            block=128,
            dtype=dtype,
            offset=offset,
        )


def large_cases() -> Iterator[Case]:
    """Shapes of real networks, beyond the interpreter's pace."""
    rows = ((1 << 20, 3, 1), (4099, 257, 1), (65536, 64, 1))
    images = ((64, 64, 3136), (8, 512, 49), (3, 7, 50177))
    for kernel in Kernel:
        shapes = images if kernel.is_image else rows
        for shape, block, dtype in pairwise(itertools.product(shapes, SPECIALISED_BLOCKS, DType)):
            outer, channels, inner = shape
            yield Case(
                kernel=kernel,
                outer=outer,
                channels=channels,
                inner=inner,
                block=block,
                dtype=dtype,
                form=Form.SPECIALISED,
            )

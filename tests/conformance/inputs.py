"""Numbers for the cases, in any dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tests.conformance.model import Array
    from transpiler.ir.types import DType

_AWKWARD = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0]


def floats(random: np.random.Generator, *shape: int, awkward: bool = True) -> Array:
    """Some numbers around 0; among the first of them, if asked for, NaN, infinities and both zeros."""
    values = random.normal(size=shape) * 2
    if awkward:
        values.reshape(-1)[: len(_AWKWARD)] = _AWKWARD
    return values


def numbers(
    random: np.random.Generator, dtype: DType | None, *shape: int, low: int = 0, high: int = 9
) -> Array:
    """Whole numbers that every dtype holds and that often tie; quarters of them for floats."""
    values = random.integers(low, high, shape)
    return values / 4 if dtype is not None and dtype.is_float else values

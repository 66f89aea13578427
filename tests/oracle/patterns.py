"""Compares outputs by their bits; needs nothing but Python, so that a machine with a GPU can too."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORMATS = {"f32": ("<I", "<f"), "f64": ("<Q", "<d")}


def are_same(
    dtypes: Sequence[str], found: Sequence[Sequence[int]], expected: Sequence[Sequence[int]]
) -> bool:
    """Whether outputs of these dtypes are the same, bit for bit; any NaN is any other: Rust leaves its bits open."""
    return all(
        _is_one_value(one, other, dtype)
        for dtype, ones, others in zip(dtypes, found, expected, strict=True)
        for one, other in zip(ones, others, strict=True)
    )


def _is_one_value(found: int, expected: int, dtype: str) -> bool:
    return found == expected or (
        dtype in _FORMATS and _is_nan(found, dtype) and _is_nan(expected, dtype)
    )


def _is_nan(pattern: int, dtype: str) -> bool:
    integer, number = _FORMATS[dtype]
    return math.isnan(struct.unpack(number, struct.pack(integer, pattern))[0])

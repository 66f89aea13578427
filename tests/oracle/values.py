"""The dtypes of scalars, their numbers, and how Rust writes those."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from tests.oracle.tree import STATEMENT, Node, empty

if TYPE_CHECKING:
    import random

SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = ("f32", "f64")
NUMBERS = (*INTEGERS, *FLOATS)
DTYPES = (*NUMBERS, "bool")

PRIMARY = 14
"""How tightly names, numbers and calls bind."""

UNARY = 12


def bits(dtype: str) -> int:
    """The width of a number's dtype."""
    return int(dtype[1:])


def limits(dtype: str) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype."""
    width = bits(dtype)
    return (0, 2**width - 1) if dtype[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def rounded(number: float) -> float:
    """The number in single precision."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def value(rng: random.Random, dtype: str) -> int | float | bool:
    """A value to call with, often one at an edge; floats are exact in their dtype."""
    if dtype == "bool":
        return rng.random() < 0.5
    if dtype in FLOATS:
        single = (3.4028234663852886e38, 1.1754943508222875e-38, 1e-45)
        edges = (
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            0.5,
            1e30,
            2147483648.0,
            9.3e18,
            math.inf,
            -math.inf,
            math.nan,
            *single,
        )
        number = rng.choice(edges) if rng.random() < 0.4 else rng.uniform(-1000, 1000)
        return rounded(number) if dtype == "f32" else number
    least, most = limits(dtype)
    small = rng.randint(max(least, -9), 9)
    return rng.choice((least, most, 0, 1, 1, 2, small, most - 1, rng.randint(least, most)))


def literal(rng: random.Random, dtype: str, *, has_suffix: bool = True) -> Node:
    """A constant in one of the forms Rust has; a negative one is a `-` before it."""
    if dtype == "bool":
        return Node(sort=dtype, pieces=(rng.choice(("true", "false")),), precedence=PRIMARY)
    if dtype in FLOATS:
        text = rng.choice(
            ("0.0", "1.0", "0.1", "2.5", "1e3", "3.25", "1_000.5", "2.5e-3", "16777217.0", "0.333")
        )
        suffix = rng.choice(("_", "")) + dtype
        sign = "-" if rng.random() < 0.2 else ""
    else:
        text, sign = _integer(rng, dtype)
        suffix = rng.choice(("_", "")) + dtype
    text = sign + text + (suffix if has_suffix else "")
    return Node(sort=dtype, pieces=(text,), precedence=UNARY if sign else PRIMARY)


def _integer(rng: random.Random, dtype: str) -> tuple[str, str]:
    least, most = limits(dtype)
    if rng.random() < 0.15:
        number = rng.choice((most, least, rng.randint(least, most)))
    else:
        number = rng.choice((0, 1, 2, 3, 7, 8, 10, 31, 100, 127))
        if dtype[0] == "i" and rng.random() < 0.2:
            number = -number
    sign, number = ("-", -number) if number < 0 else ("", number)
    text = rng.choice((str, str, str, hex, bin, oct, "{:_}".format))(number)
    return text, sign


def smallest() -> dict[str, Node]:
    """What the simplest statement and the simplest value of each dtype is."""
    numbers = {
        dtype: Node(sort=dtype, pieces=(f"1_{dtype}",), precedence=PRIMARY) for dtype in INTEGERS
    }
    floats = {
        dtype: Node(sort=dtype, pieces=(f"1.0_{dtype}",), precedence=PRIMARY) for dtype in FLOATS
    }
    truth = Node(sort="bool", pieces=("true",), precedence=PRIMARY)
    return {**numbers, **floats, "bool": truth, STATEMENT: empty()}

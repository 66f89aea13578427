"""Random numbers, against Philox 4x32 written down in numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, store
from tests.conformance.model import Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


_SIZE = 53
_SEED = 0x9ABCDEF0
_ROUNDS = 10


def _philox(seed: int) -> tuple[NDArray[np.uint32], ...]:
    """The four words of each counter `0.._SIZE` (Salmon and others, 2011, figure 2 and table 2)."""
    low = np.uint64(0xFFFFFFFF)
    words = [np.arange(_SIZE, dtype=np.uint64), *(np.zeros((3, _SIZE), np.uint64))]
    keys = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(_ROUNDS):
        first, second = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [
            (second >> np.uint64(32)) ^ words[1] ^ keys[0],
            second & low,
            (first >> np.uint64(32)) ^ words[3] ^ keys[1],
            first & low,
        ]
        keys = [
            (keys[0] + np.uint64(0x9E3779B9)) & low,
            (keys[1] + np.uint64(0xBB67AE85)) & low,
        ]
    return tuple(word.astype(np.uint32) for word in words)


def _uniform(word: NDArray[np.uint32]) -> NDArray[np.float64]:
    signed = word.view(np.int32).astype(np.float64)
    return np.where(signed < 0, -signed - 1, signed) * 4.6566127342e-10


def _rand(words: tuple[NDArray[np.uint32], ...]) -> NDArray[np.float64]:
    return _uniform(words[0])


def _randn(words: tuple[NDArray[np.uint32], ...]) -> NDArray[np.float64]:
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, _uniform(words[0]))))
    return np.asarray(radius * np.cos(2 * np.pi * _uniform(words[1])))


def _randint(words: tuple[NDArray[np.uint32], ...]) -> NDArray[np.int32]:
    return words[0].view(np.int32)


def _case(
    name: str,
    dtype: str,
    reference: Callable[[tuple[NDArray[np.uint32], ...]], NDArray[np.generic]],
    tolerance: str,
) -> Case:
    return Case(
        name=name,
        operations=(name,),
        rust=kernel(
            LANES + store("out_ptr", f"T::{name}(seed, lanes, {_ROUNDS})"),
            f"out_ptr: T::Pointer<{dtype}>, seed: u32, n: i32",
            "const BLOCK: i32",
        ),
        inputs=lambda _random, _dtype: {
            "out_ptr": np.zeros(_SIZE),
            "seed": _SEED,
            "n": _SIZE,
        },
        outputs=("out_ptr",),
        reference=lambda _given: {"out_ptr": reference(_philox(_SEED))},
        constants={"BLOCK": 64},
        tolerance=tolerance,
    )


CASES = (
    _case("rand", "f32", _rand, "function"),
    _case("randn", "f32", _randn, "function"),
    _case("randint", "i32", _randint, "exact"),
    Case(
        name="randint4x",
        operations=("randint4x",),
        rust=kernel(
            LANES
            + f"let (a, b, c, d) = T::randint4x(seed, lanes, {_ROUNDS});\n"
            + "".join(
                store("out_ptr", name, f"lanes + {i} * n")
                for i, name in enumerate(("a", "b", "c", "d"))
            ),
            "out_ptr: T::Pointer<i32>, seed: u32, n: i32",
            "const BLOCK: i32",
        ),
        inputs=lambda _random, _dtype: {
            "out_ptr": np.zeros((4, _SIZE), np.int32),
            "seed": 1,
            "n": _SIZE,
        },
        outputs=("out_ptr",),
        reference=lambda _given: {
            "out_ptr": np.stack([word.view(np.int32) for word in _philox(1)])
        },
        constants={"BLOCK": 64},
    ),
)

"""Operations that compute nothing, with every dtype there is; what they are about is in the other files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, load, store
from tests.conformance.model import NUMBERS, Case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Values

_ALL = (*NUMBERS, DType.BOOL)
_SIZE, _BLOCK = 61, 64
_SIDES = {"SIDE": 16}


def _numbers(random: np.random.Generator, dtype: DType | None, size: int) -> np.ndarray:
    """Small whole numbers, none negative where the dtype has none; or bools."""
    if dtype is DType.BOOL:
        return random.integers(0, 2, size).astype(bool)
    has_sign = dtype is not None and (dtype.is_float or dtype.is_signed)
    return random.integers(-50 if has_sign else 0, 100, size)


def _case(
    name: str,
    operations: tuple[str, ...],
    body: str,
    reference: Callable[[np.ndarray], np.ndarray],
    *,
    result: str = "D",
    dtypes: tuple[DType, ...] = _ALL,
    bound: str = "Dtype",
) -> Case:
    """A case of one tile, `x`; the body ends in the tile that is stored."""

    def inputs(random: np.random.Generator, dtype: DType | None) -> Values:
        return {"x_ptr": _numbers(random, dtype, _SIZE), "out_ptr": np.zeros(_SIZE), "n": _SIZE}

    *before, value = body.strip().splitlines()
    return Case(
        name=name,
        operations=operations,
        rust=kernel(
            LANES + load("x") + "".join(f"{line}\n" for line in before) + store("out_ptr", value),
            f"x_ptr: T::Pointer<D>, out_ptr: T::Pointer<{result}>, n: i32",
            f"D: {bound}, const BLOCK: i32",
        ),
        inputs=inputs,
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": reference(np.asarray(given["x_ptr"]))},
        constants={"BLOCK": _BLOCK},
        dtypes=dtypes,
    )


def _copied(name: str, operations: tuple[str, ...], body: str) -> Case:
    """A case that copies a matrix whose sides are no multiples of the tile's."""

    def inputs(random: np.random.Generator, dtype: DType | None) -> Values:
        x = _numbers(random, dtype, 14 * 11).reshape(14, 11)
        return {"x_ptr": x, "out_ptr": np.zeros_like(x), "m": 14, "n": 11}

    return Case(
        name=name,
        operations=operations,
        rust=kernel(
            body,
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, m: i32, n: i32",
            "D: Dtype, const SIDE: i32",
        ),
        inputs=inputs,
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": np.asarray(given["x_ptr"])},
        constants=_SIDES,
        dtypes=_ALL,
    )


_MOVED = """\
let x = T::gather(x, BLOCK - 1 - lanes, 0);
let x = T::flip(T::max_constancy(T::max_contiguous(T::multiple_of(x, &[1]), &[1]), &[1]), None);
let x = T::reshape(T::expand_dims(x, 0), &[BLOCK], false);
let x = T::where_(mask, x, T::zeros_like(x));
T::where_(lanes.lt(7), T::zeros::<D>(&[BLOCK]), x)
"""
_DESCRIBED = """\
let x = T::make_tensor_descriptor(x_ptr, &[m, n], &[n, 1], &[SIDE, SIDE], None);
let out = T::make_tensor_descriptor(out_ptr, &[m, n], &[n, 1], &[SIDE, SIDE], None);
T::store_tensor_descriptor(out, &[0, 0], T::load_tensor_descriptor(x, &[0, 0]));
"""
_BLOCKS = """\
let x = T::make_block_ptr(x_ptr, &[m, n], &[n, 1], &[0, -4], &[SIDE, SIDE], &[1, 0]);
let out = T::make_block_ptr(out_ptr, &[m, n], &[n, 1], &[0, 0], &[SIDE, SIDE], &[1, 0]);
let t = T::load(T::advance(x, &[0, 4]), None, None, &[0, 1], None, None, None, false);
T::store(out, t, None, &[0, 1], None, None);
"""


def _with_one(compare: Callable[[np.ndarray, int], np.ndarray], x: np.ndarray) -> np.ndarray:
    return compare(x, 1)


def _seven_zeros(x: np.ndarray) -> np.ndarray:
    return np.where(np.arange(x.size) < 7, np.zeros_like(x), x)


CASES = (
    _case(
        "every dtype is moved about",
        (
            "gather",
            "flip",
            "multiple_of",
            "max_contiguous",
            "max_constancy",
            "reshape",
            "expand_dims",
            "zeros_like",
            "zeros",
            "where_",
        ),
        _MOVED,
        _seven_zeros,
    ),
    _copied(
        "every dtype described",
        ("make_tensor_descriptor", "load_tensor_descriptor", "store_tensor_descriptor"),
        _DESCRIBED,
    ),
    _copied("every dtype in blocks", ("make_block_ptr", "advance", "load", "store"), _BLOCKS),
    _case(
        "every dtype printed",
        ("device_print",),
        'T::device_print("x", x, false);\nx',
        lambda x: x,
    ),
    _case(
        "bool from every number",
        ("cast",),
        "T::cast::<D, bool>(x, None, false)",
        lambda x: x != 0,
        result="bool",
    ),
    _case(
        "every number from bool",
        ("cast",),
        "T::cast::<bool, D>(lanes.lt(7), None, false)",
        lambda x: (np.arange(x.size) < 7).astype(x.dtype),
    ),
    _case(
        "a tile of bool",
        ("full",),
        "T::full::<bool>(&[BLOCK], true)",
        lambda x: np.ones(x.shape, bool),
        result="bool",
        dtypes=(DType.I32,),
        bound="Int",
    ),
    *(
        _case(
            f"{name} of every dtype",
            (name,),
            f"T::{name}(x, D::ONE)",
            partial(_with_one, compare),
            result="bool",
            dtypes=NUMBERS,
            bound="Num",
        )
        for name, compare in (
            ("lt_scalar", np.less),
            ("le_scalar", np.less_equal),
            ("gt_scalar", np.greater),
            ("ge_scalar", np.greater_equal),
            ("eq_scalar", np.equal),
            ("ne_scalar", np.not_equal),
        )
    ),
)

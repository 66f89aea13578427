"""Loads and stores: modifiers, block pointers, tensor descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, store
from tests.conformance.model import FLOATS, NUMBERS, Case

if TYPE_CHECKING:
    from tests.conformance.model import Values
    from transpiler.ir.types import DType

_ROWS, _COLUMNS = 21, 13
_TILE = {"B": 16, "C": 16}
_SOURCE = "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, m: i32, n: i32"


def _line(random: np.random.Generator, _dtype: DType | None) -> Values:
    x = random.integers(0, 100, 53)
    return {"x_ptr": x, "out_ptr": np.zeros(53, x.dtype), "n": 53}


def _matrix(random: np.random.Generator, _dtype: DType | None) -> Values:
    x = random.integers(0, 100, (_ROWS, _COLUMNS))
    return {"x_ptr": x, "out_ptr": np.zeros_like(x), "m": _ROWS, "n": _COLUMNS}


def _doubled(given: Values) -> Values:
    return {"out_ptr": np.asarray(given["x_ptr"]) * 2}


def _same(given: Values) -> Values:
    return {"out_ptr": np.asarray(given["x_ptr"])}


def _modified(cache: str, eviction: str, volatile: str, stored: str, stored_eviction: str) -> Case:
    body = (
        LANES
        + "let x = T::load(x_ptr.add_offsets(lanes), Some(mask), None, &[], None, "
        + f"{cache}, {eviction}, {volatile});\n"
        + "T::store(out_ptr.add_offsets(lanes), x, Some(mask), &[], "
        + f"{stored}, {stored_eviction});\n"
    )
    return Case(
        name=f"load {cache} {eviction} {volatile}, store {stored} {stored_eviction}",
        operations=("load", "store"),
        rust=kernel(
            body,
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, n: i32",
            "D: Num, const BLOCK: i32",
        ),
        inputs=_line,
        outputs=("out_ptr",),
        reference=_same,
        constants={"BLOCK": 64},
        dtypes=NUMBERS if cache == "None" else FLOATS[:1],
    )


def _tiled(name: str, operations: tuple[str, ...], body: str, generics: str = "") -> Case:
    return Case(
        name=name,
        operations=operations,
        rust=kernel(body, _SOURCE, f"D: Num, const B: i32, const C: i32{generics}"),
        inputs=_matrix,
        outputs=("out_ptr",),
        reference=_doubled,
        constants=_TILE | ({"TURNED": 1} if generics else {}),
        grid=(2,),
        dtypes=NUMBERS,
    )


_DESCRIBED = """\
// The rows start anywhere: 13 elements are no multiple of 16 bytes.
let x = T::make_tensor_descriptor(x_ptr, &[m, n], &[n, 1], &[B, C], Some(PaddingOption::Zero));
let out = T::make_tensor_descriptor(out_ptr, &[m, n], &[n, 1], &[B, C], None);
let row = T::program_id(Axis::X) * B;
let t = T::load_tensor_descriptor(x, &[row, 0]);
T::store_tensor_descriptor(out, &[row, 0], t + t);
"""
_TURNED = """\
let row = T::program_id(Axis::X) * B;
let (x, first, second) = if TURNED == 1 {
    (T::make_tensor_descriptor(x_ptr, &[n, m], &[1, n], &[C, B], None), 0, row)
} else {
    (T::make_tensor_descriptor(x_ptr, &[m, n], &[n, 1], &[C, B], None), row, 0)
};
let out = T::make_tensor_descriptor(out_ptr, &[m, n], &[n, 1], &[B, C], None);
let t = T::trans(T::load_tensor_descriptor(x, &[first, second]), &[1, 0]);
T::store_tensor_descriptor(out, &[row, 0], t + t);
"""
_BLOCKS = """\
let row = T::program_id(Axis::X) * B;
let mut x = T::make_block_ptr(x_ptr, &[m, n], &[n, 1], &[row, 0], &[B, 4], &[1, 0]);
let mut out = T::make_block_ptr(out_ptr, &[m, n], &[n, 1], &[row, 0], &[B, 4], &[1, 0]);
let mut column = 0;
while column < C {
    let t = T::load(x, None, None, &[0, 1], Some(PaddingOption::Zero), None, None, false);
    T::store(out, t + t, None, &[0, 1], None, None);
    x = T::advance(x, &[0, 4]);
    out = T::advance(out, &[0, 4]);
    column += 4;
}
"""


def _padded(random: np.random.Generator, _dtype: DType | None) -> Values:
    x = random.integers(0, 100, (3, 5)).astype(float)
    return {"x_ptr": x, "out_ptr": np.zeros((4, 8)), "m": 3, "n": 5}


def _padded_result(given: Values) -> Values:
    out = np.full((4, 8), np.nan)
    out[:3, :5] = np.asarray(given["x_ptr"])
    return {"out_ptr": out}


CASES = (
    _modified("None", "None", "false", "None", "None"),
    _modified("None", "None", "true", "None", "None"),
    *(
        _modified(f"Some(CacheModifier::{member})", "None", "false", "None", "None")
        for member in ("Ca", "Cg", "Cv")
    ),
    *(
        _modified("None", "None", "false", f"Some(CacheModifier::{member})", "None")
        for member in ("Wb", "Cg", "Cs", "Wt")
    ),
    *(
        _modified(
            "None",
            f"Some(EvictionPolicy::{member})",
            "false",
            "None",
            f"Some(EvictionPolicy::{member})",
        )
        for member in ("EvictFirst", "EvictLast", "NoEvict")
    ),
    _tiled(
        "tensor descriptors",
        ("make_tensor_descriptor", "load_tensor_descriptor", "store_tensor_descriptor"),
        _DESCRIBED,
    ),
    _tiled(
        "descriptors of a tuple by a condition",
        ("make_tensor_descriptor",),
        _TURNED,
        ", const TURNED: i32",
    ),
    _tiled("block pointers", ("make_block_ptr", "advance"), _BLOCKS),
    Case(
        name="a descriptor padded with nan",
        operations=("make_tensor_descriptor",),
        rust=kernel(
            "let x = T::make_tensor_descriptor(x_ptr, &[m, n], &[n, 1], &[4, 8], "
            "Some(PaddingOption::Nan));\n"
            "let out = T::make_tensor_descriptor(out_ptr, &[4, 8], &[8, 1], &[4, 8], None);\n"
            "T::store_tensor_descriptor(out, &[0, 0], T::load_tensor_descriptor(x, &[0, 0]));\n",
            _SOURCE,
            "D: Float",
        ),
        inputs=_padded,
        outputs=("out_ptr",),
        reference=_padded_result,
        dtypes=FLOATS,
    ),
    Case(
        name="load_scalar_f32_as_i32",
        operations=("load_scalar_f32_as_i32",),
        rust=kernel(
            "let at = T::program_id(Axis::X);\n"
            "let value = T::full(&[1], T::load_scalar_f32_as_i32(x_ptr, at));\n"
            + store("out_ptr", "value", "T::arange(0, 1) + at", ""),
            "x_ptr: T::Pointer<f32>, out_ptr: T::Pointer<i32>",
            "",
        ),
        inputs=lambda _random, _dtype: {
            "x_ptr": np.array([1.9, -1.9, 0.0, 3e9, -3e9, np.nan, 7.0]),
            "out_ptr": np.zeros(7, np.int32),
        },
        outputs=("out_ptr",),
        reference=lambda _given: {
            "out_ptr": np.array([1, -1, 0, 2**31 - 1, -(2**31), 0, 7], np.int32)
        },
        grid=(7,),
    ),
)

"""Hints and debugging operations: a kernel computes with them what it computes without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, load, store
from tests.conformance.model import NUMBERS, Case

if TYPE_CHECKING:
    from tests.conformance.model import Values
    from transpiler.ir.types import DType

_SIZE = 53


def _inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    x = random.integers(0, 100, _SIZE)
    return {"x_ptr": x, "out_ptr": np.zeros(_SIZE, x.dtype), "n": _SIZE}


def _copied(given: Values) -> Values:
    return {"out_ptr": np.asarray(given["x_ptr"])}


def _case(name: str, statement: str, dtypes: tuple[DType, ...] = NUMBERS[:1]) -> Case:
    return Case(
        name=name,
        operations=(name.split(",", maxsplit=1)[0],),
        rust=kernel(
            LANES + load("x") + statement + "\n" + store("out_ptr", "x"),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, n: i32",
            "D: Num, const BLOCK: i32",
        ),
        inputs=_inputs,
        outputs=("out_ptr",),
        reference=_copied,
        constants={"BLOCK": 64},
        dtypes=dtypes,
    )


CASES = (
    _case("assume", "T::assume(lanes.ge(T::full(&[1], 0)));"),
    _case("multiple_of", "let lanes = T::multiple_of(lanes, &[64]);"),
    _case("max_contiguous", "let lanes = T::max_contiguous(lanes, &[64]);"),
    _case("max_constancy", "let x = T::max_constancy(x, &[1]);", NUMBERS),
    _case("debug_barrier", "T::debug_barrier();"),
    _case("device_assert", 'T::device_assert(mask, "no lane is off", None);'),
    _case("device_assert, masked", 'T::device_assert(mask, "no lane is off", Some(mask));'),
    _case("device_print", 'T::device_print("x", x, false);', NUMBERS),
    _case("device_print, hexadecimal", 'T::device_print("lanes", lanes, true);'),
    _case("static_assert", 'T::static_assert(BLOCK >= 16, "the tile is too short");'),
    _case("static_print", 'T::static_print("compiled");'),
    Case(
        name="inline_asm_elementwise",
        operations=("inline_asm_elementwise",),
        rust=kernel(
            'let q = T::inline_asm_elementwise::<i32>("mov.u32 $0, 7;", "=r", false, 1);\n'
            "let lanes = T::arange(0, 8);\n"
            "T::store(out_ptr.add_offsets(lanes), lanes * 0 + q, None, &[], None, None);\n",
            "out_ptr: T::Pointer<i32>",
            "",
        ),
        inputs=lambda _random, _dtype: {"out_ptr": np.zeros(8, np.int32)},
        outputs=("out_ptr",),
        reference=lambda _given: {"out_ptr": np.full(8, 7, np.int32)},
        interpreter_gap="Triton's interpreter has no assembler",
        targets=("sm_90",),
    ),
)

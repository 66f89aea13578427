"""Atomic updates of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, load, store
from tests.conformance.model import FLOATS, Case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Array, Values

_SIZE = 37
_WORDS = (DType.I32, DType.I64, DType.U32, DType.U64)
_WIDE_FLOATS = (DType.F32, DType.F64)
_ORDERS = ("Relaxed", "Acquire", "Release", "AcqRel")
_SCOPES = ("Cta", "Gpu", "Sys")
_PARAMETERS = "p_ptr: T::Pointer<D>, x_ptr: T::Pointer<D>, old_ptr: T::Pointer<D>, n: i32"


def _inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    held, x = random.integers(0, 100, (2, _SIZE))
    return {"p_ptr": held, "x_ptr": x, "old_ptr": np.zeros(_SIZE, held.dtype), "n": _SIZE}


def _updated(update: Callable[[Array, Array], Array]) -> Callable[[Values], Values]:
    """What is in memory after, and what was there before."""

    def reference(given: Values) -> Values:
        held, x = np.asarray(given["p_ptr"]), np.asarray(given["x_ptr"])
        return {"p_ptr": update(held, x), "old_ptr": held}

    return reference


def _atomic(
    name: str,
    update: Callable[[Array, Array], Array],
    dtypes: tuple[DType, ...],
    options: str = "None, None",
    *,
    label: str = "",
    gap: str | None = None,
) -> Case:
    bound = "Int" if update in {np.bitwise_and, np.bitwise_or, np.bitwise_xor} else "Num"
    call = f"let old = T::{name}(p_ptr.add_offsets(lanes), x, Some(mask), {options});\n"
    return Case(
        name=name + label if options == "None, None" else f"{name}, {options}",
        operations=(name,),
        rust=kernel(
            LANES + load("x") + call + store("old_ptr", "old"),
            _PARAMETERS,
            f"D: {bound}, const BLOCK: i32",
        ),
        inputs=_inputs,
        outputs=("p_ptr", "old_ptr"),
        reference=_updated(update),
        constants={"BLOCK": 64},
        dtypes=dtypes,
        interpreter_gap=gap,
    )


def _swap_inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    held, x = random.integers(0, 3, (2, 64))
    return {"p_ptr": held, "x_ptr": x, "old_ptr": np.zeros(64, held.dtype), "n": 64}


def _swapped(given: Values) -> Values:
    held, x = np.asarray(given["p_ptr"]), np.asarray(given["x_ptr"])
    return {"p_ptr": np.where(held == 1, x, held), "old_ptr": held}


def _contended(given: Values) -> Values:
    held = np.asarray(given["p_ptr"])
    total = held.copy()
    total[0] += np.asarray(given["x_ptr"]).sum()
    return {"p_ptr": total}


CASES = (
    _atomic("atomic_add", np.add, (*_WIDE_FLOATS, DType.F16, *_WORDS)),
    _atomic(
        "atomic_add",
        np.add,
        (DType.BF16,),
        label=" of bf16",
        gap="Triton's interpreter adds the bits of bf16 as integers",
    ),
    _atomic("atomic_max", np.maximum, (*_WIDE_FLOATS, *_WORDS)),
    _atomic("atomic_min", np.minimum, (*_WIDE_FLOATS, *_WORDS)),
    _atomic("atomic_and", np.bitwise_and, _WORDS),
    _atomic("atomic_or", np.bitwise_or, _WORDS),
    _atomic("atomic_xor", np.bitwise_xor, _WORDS),
    _atomic("atomic_xchg", lambda _held, x: x, (*_WIDE_FLOATS, *_WORDS)),
    *(
        _atomic("atomic_add", np.add, (DType.I32,), f"Some(MemSem::{order}), None")
        for order in _ORDERS
    ),
    *(
        _atomic("atomic_add", np.add, (DType.I32,), f"None, Some(MemScope::{scope})")
        for scope in _SCOPES
    ),
    Case(
        name="atomic_add by several programs to one address",
        operations=("atomic_add",),
        rust=kernel(
            "let lanes = T::arange(0, 8) + T::program_id(Axis::X) * 8;\nlet mask = lanes.lt(n);\n"
            + load("x")
            + "T::atomic_add(p_ptr.add_offsets(lanes * 0), x, Some(mask), None, None);\n",
            "p_ptr: T::Pointer<i32>, x_ptr: T::Pointer<i32>, n: i32",
            "",
        ),
        inputs=lambda random, dtype: {
            key: value for key, value in _inputs(random, dtype).items() if key != "old_ptr"
        },
        outputs=("p_ptr",),
        reference=_contended,
        grid=(5,),
    ),
    *(
        Case(
            name=f"atomic_cas, {options}",
            operations=("atomic_cas",),
            rust=kernel(
                LANES
                + load("x")
                + "let one = T::cast::<i32, D>(T::full(&[1], 1), None, false);\n"
                + f"let old = T::atomic_cas(p_ptr.add_offsets(lanes), one, x, {options});\n"
                + store("old_ptr", "old"),
                _PARAMETERS,
                "D: Num, const BLOCK: i32",
            ),
            inputs=_swap_inputs,
            outputs=("p_ptr", "old_ptr"),
            reference=_swapped,
            constants={"BLOCK": 64},
            dtypes=(*FLOATS, *_WORDS, DType.I16, DType.U16)
            if options == "None, None"
            else (DType.I32,),
        )
        for options in ("None, None", "Some(MemSem::Relaxed), Some(MemScope::Gpu)")
    ),
)

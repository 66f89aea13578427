"""Kernels that are no nests: of rows and of columns, with a program for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.optimise.flags import BLOCK_AXIS

if TYPE_CHECKING:
    from transpiler.pipeline import Result

LOAD = "T::load({}_ptr.add_offsets({}), {}, {}, &[], None, None, None, false)"
ZEROS = "Some(T::zeros::<D>(&[BLOCK]))"


def load(pointer: str, offsets: str, mask: str = "None", fill: str = "None") -> str:
    """A load."""
    return LOAD.format(pointer, offsets, mask, fill)


def store(pointer: str, offsets: str, value: str, mask: str = "None") -> str:
    """A store."""
    return f"T::store({pointer}_ptr.add_offsets({offsets}), {value}, {mask}, &[], None, None);"


def update(offsets: str, value: str, mask: str = "None") -> str:
    """An atomic sum."""
    return f"T::atomic_add(s_ptr.add_offsets({offsets}), {value}, {mask}, None, None)"


def rust(body: str, bound: str = "Float") -> str:
    """A kernel of these statements: pointers `x_ptr`, `w_ptr`, `y_ptr`, `s_ptr`, and a program for each `p`."""
    return (
        f"#[kernel]\npub fn k<T: Triton, D: {bound}, const BLOCK: i32>(x_ptr: T::Pointer<D>, "
        "w_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, s_ptr: T::Pointer<D>, n: i32, m: i32) {\n"
        f"let p = T::program_id(Axis::X);\nlet one = T::arange(0, 1) + p;\n{body}\n}}\n"
    )


STORE_TILES = f"""let t = T::expand_dims(T::arange(0, BLOCK), 0) + T::expand_dims(T::arange(0, BLOCK), 1) * n + p;
let x = {load("x", "t")}; {store("y", "t", "x")}"""
TILE = "let o = T::arange(0, BLOCK); let mask = o.lt(n);"
ROW = f"{TILE} let x = {load('x', 'p * n + o', 'Some(mask)', ZEROS)};"
COLUMN = f"{TILE} let x = {load('x', 'o * m + p', 'Some(mask)', ZEROS)};"
LOOP = "let mut i: i32 = 0; while i < n { let o = T::arange(0, BLOCK) + i; let mask = o.lt(n);"

CENTRED = f"""{ROW}
let mean = T::sum(x, Some(0), true) * T::full::<D>(&[1], D::from_f64(0.5));
let d = T::where_(mask, x - T::broadcast_to(mean, &[BLOCK]), T::zeros::<D>(&[BLOCK]));
{store("y", "p * n + o", "d * x", "Some(mask)")}
{store("s", "one", "mean")}"""

COLUMN_MAX = f"""{COLUMN}
{store("s", "one", "T::max(x, Some(0), true)")}"""


def reasons(result: Result) -> list[str]:
    """Why a transform over an axis of the grid was not applied."""
    return [it.message for it in result.remarks if it.transform is BLOCK_AXIS and not it.is_applied]

"""Files whose kernels name the one that goes back."""

from __future__ import annotations

from pathlib import Path

PAIRS = (Path(__file__).parent / "cases/pairs.rs").read_text("utf-8")
"""Kernels that go through their tensors element by element."""


def elementwise(
    forward: str, backward: str, *, of: str = "ScaleBackward", constants: str = "const BLOCK: i32"
) -> str:
    """Two kernels with these parameters: what ends in a `w` is written, what ends in an `r` is read."""
    return "\n".join(
        (
            f"#[kernel(backward = {of})]",
            _kernel("scale", forward, "const BLOCK: i32"),
            "#[kernel]",
            _kernel("scale_backward", backward, constants),
        )
    )


def _kernel(name: str, parameters: str, constants: str) -> str:
    """`x:r y:w n:i32`, as a kernel; a pointer may be of `r`, `w`, both, or neither (`p`), `=` before its dtype."""
    declared: list[str] = []
    body: list[str] = ["let at = T::arange(0, 16) + T::program_id(Axis::X) * 16;"]
    for parameter in parameters.split():
        own, _, kind = parameter.partition(":")
        access, _, dtype = kind.partition("=")
        if access not in {"r", "w", "rw", "p"}:
            declared.append(f"{own}: {kind}")
            continue
        dtype = dtype or "D"
        declared.append(f"{own}_ptr: T::Pointer<{dtype}>")
        if "r" in access:
            body.append(
                f"let {own}_value = T::load({own}_ptr.add_offsets(at), None, None, &[], None, None, None,"
                " false);"
            )
        if "w" in access:
            body.append(
                f"T::store({own}_ptr.add_offsets(at), T::full::<{dtype}>(&[16], 0 as {dtype}), None,"
                " &[], None, None);"
                if dtype != "D"
                else f"T::store({own}_ptr.add_offsets(at), T::zeros::<D>(&[16]), None, &[], None, None);"
            )
    return (
        f"pub fn {name}<T: Triton, D: Float, {constants}>({', '.join(declared)}) {{\n"
        + "\n".join(f"    {line}" for line in body)
        + "\n}"
    )


ROWS = """
#[kernel(backward = RowSumsBackward)]
pub fn row_sums_forward<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, width: i32,
) {
    let row = T::program_id(Axis::X);
    let lanes = T::arange(0, BLOCK);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let x = T::load(
        x_ptr.add_offsets(lanes + row * width), Some(lanes.lt(width)), Some(zeros), &[], None, None, None, false,
    );
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), T::sum(x, Some(0), true), None, &[], None, None);
}

/// Sixteen elements a program.
#[kernel]
pub fn row_sums_backward<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>, dx_ptr: T::Pointer<D>, width: i32,
) {
    let row = T::program_id(Axis::X);
    let lanes = T::arange(0, 16) + T::program_id(Axis::Y) * 16;
    let dy = T::load(
        dy_ptr.add_offsets(T::zeros_like(lanes) + row), None, None, &[], None, None, None, false,
    );
    T::store(dx_ptr.add_offsets(lanes + row * width), dy, Some(lanes.lt(width)), &[], None, None);
}
"""
"""Kernels of other places, and of another grid."""

_LOAD = "T::load({}_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false)"
_STORE = "T::store({}_ptr.add_offsets(at), {}, Some(mask), &[], None, None)"
_PRODUCT = f"""
#[kernel(backward = BACK)]
pub fn FORWARD<T: Triton, D: Float, const BLOCK: i32>(
    kind_ptr: T::Pointer<i32>, a_ptr: T::Pointer<D>, b_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32,
) {{
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let kind = {_LOAD.format("kind")};
    let a = {_LOAD.format("a")};
    let b = {_LOAD.format("b")};
    {_STORE.format("y", "a * b")};
}}
"""
TWO_INPUTS = (
    _PRODUCT.replace("BACK", "ProductBackward").replace("FORWARD", "product_forward")
    + _PRODUCT.replace("BACK", "ConstantBackward").replace("FORWARD", "product_of_constant")
    + f"""
#[kernel]
pub fn product_backward<T: Triton, D: Float, const BLOCK: i32>(
    n: i32, b_grad_ptr: T::Pointer<D>, a_ptr: T::Pointer<D>, b_ptr: T::Pointer<D>,
    grad_a_ptr: T::Pointer<D>, grad_out_ptr: T::Pointer<D>,
) {{
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let grad = {_LOAD.format("grad_out")};
    let a = {_LOAD.format("a")};
    let b = {_LOAD.format("b")};
    {_STORE.format("grad_a", "grad * b")};
    {_STORE.format("b_grad", "grad * a")};
}}

#[kernel]
pub fn constant_backward<T: Triton, D: Float, const BLOCK: i32>(
    grad_ptr: T::Pointer<D>, b_ptr: T::Pointer<D>, d_a_ptr: T::Pointer<D>, n: i32,
) {{
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let grad = {_LOAD.format("grad")};
    let b = {_LOAD.format("b")};
    {_STORE.format("d_a", "grad * b")};
}}
"""
)
"""Kernels of several inputs, one of which has no gradient."""

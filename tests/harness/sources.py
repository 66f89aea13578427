"""Rust and cases for the tests: small kernels, each with one fault or none."""

from __future__ import annotations


def kernel(
    name: str,
    *,
    value: str = "x + x",
    mask: str = "Some(mask)",
    offsets: str = "offsets",
    dtype: str = "D",
    before: str = "",
) -> str:
    """A kernel that stores a value for every element `x`."""
    bound = ", D: Float" if dtype == "D" else ""
    return f"""
#[kernel]
pub fn {name}<T: Triton{bound}, const BLOCK: i32>(
    x_ptr: T::Pointer<{dtype}>,
    y_ptr: T::Pointer<{dtype}>,
    n: i32,
) {{
    {before}let offsets = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = offsets.lt(n);
    let x = T::load(x_ptr.add_offsets(offsets), Some(mask), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets({offsets}), {value}, {mask}, &[], None, None);
}}
"""


DOUBLE = kernel("double")
"""Nothing is wrong with it."""

DOUBLE_CASES = """
import torch
from transpiler.harness import Case

CASES = [
    Case(
        kernel="double",
        shapes=[{"n": 1}, {"n": 100}],
        dtypes=["f32", "f16"],
        constants={"BLOCK": [16, 64]},
        inputs=lambda n: {"x": torch.randn(n)},
        grid=lambda n, BLOCK: -(-n // BLOCK),
        reference=lambda x: 2 * x,
    )
]
"""


def case(name: str, *, reference: str = "lambda x: 2 * x", more: str = "") -> str:
    """A case, as an element of a list, of a kernel that `kernel` makes."""
    return f"""
    dict(
        kernel="{name}",
        shapes=[{{"n": 100}}],
        constants={{"BLOCK": 64}},
        inputs=lambda n: {{"x": torch.randn(n)}},
        grid=lambda n, BLOCK: -(-n // BLOCK),
        reference={reference},
        {more}
    ),
"""


def cases_file(*cases: str) -> str:
    """A file with those cases; it imports torch alone."""
    return f"import torch\n\nCASES = [{''.join(cases)}]\n"

"""Rust for the cases: what most kernels have around the operation they are about."""

from __future__ import annotations

import textwrap

LANES = "let lanes = T::arange(0, BLOCK);\nlet mask = lanes.lt(n);\n"
"""Gives `lanes: [BLOCK]` and `mask`, the lanes below the parameter `n`."""


def load(name: str, offsets: str = "lanes", mask: str = "mask") -> str:
    """`let name = …`, a tile from `name_ptr`."""
    option = f"Some({mask})" if mask else "None"
    return (
        f"let {name} = T::load({name}_ptr.add_offsets({offsets}), {option}, None, &[], "
        "None, None, None, false);\n"
    )


def store(pointer: str, value: str, offsets: str = "lanes", mask: str = "mask") -> str:
    """Stores a tile."""
    option = f"Some({mask})" if mask else "None"
    return f"T::store({pointer}.add_offsets({offsets}), {value}, {option}, &[], None, None);\n"


def grid_2d(rows: str = "ROWS", columns: str = "COLS", name: str = "at") -> str:
    """`let name = …`, the offsets of a row-major matrix, `[rows, columns]`."""
    return (
        f"let {name} = T::expand_dims(T::arange(0, {rows}), 1) * {columns} "
        f"+ T::expand_dims(T::arange(0, {columns}), 0);\n"
    )


def kernel(body: str, parameters: str, generics: str = "D: Float, const BLOCK: i32") -> str:
    """A file with the kernel `k`."""
    separator = ", " if generics else ""
    inner = textwrap.indent(body, "    ")
    return f"#[kernel]\npub fn k<T: Triton{separator}{generics}>({parameters}) {{\n{inner}}}\n"

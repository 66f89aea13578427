"""A kernel that grows statement by statement: what it is in Rust, what it becomes, and the values it has so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import transpiler
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    Bound,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    Type,
    dtype_text,
    shape_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hypothesis.vendor.pretty import RepresentationPrinter

CONSTANTS = {"M": 16, "N": 32, "S": 4}
"""The const generics of every kernel; `S` counts something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """A kernel called `k`, the module it becomes, and its typed form."""

    rust: str
    text: str
    kernel: ir.Kernel
    bounds: dict[str, Bound]

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:  # noqa: ARG002 - the protocol
        """How Hypothesis shows it."""
        printer.text(self.rust)


@dataclass(slots=True, kw_only=True)
class GrowingKernel:
    """A kernel as it grows."""

    bounds: dict[str, Bound]
    parameters: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    values: dict[str, Type] = field(default_factory=dict)
    accepted: Generated | None = None

    def rust(self, further: Sequence[str] = ()) -> str:
        generics = ", ".join(
            [
                "T: Triton",
                *(f"{name}: {bound.value}" for name, bound in self.bounds.items()),
                *(f"const {name}: i32" for name in CONSTANTS),
            ]
        )
        body = "\n".join((*self.lines, *further))
        return f"#[kernel]\npub fn k<{generics}>({', '.join(self.parameters)}) {{\n{body}\n}}\n"

    def extend(self, *lines: str) -> bool:
        """Whether the compiler accepts the kernel with these lines, which it then has."""
        rust = self.rust(lines)
        result = transpiler.transpile(rust)
        if result.text is None or result.module is None:
            return False
        (kernel,) = result.module.kernels
        self.lines.extend(lines)
        self.accepted = Generated(rust=rust, text=result.text, kernel=kernel, bounds=self.bounds)
        self.values = {symbol.name: symbol.type for symbol in _variables(kernel)}
        return True


def _variables(kernel: ir.Kernel) -> Iterable[ir.Symbol]:
    """The parameters, and what the body declares at its top: what stands in blocks cannot be read later."""
    yield from kernel.parameters
    for statement in kernel.body.statements:
        match statement:
            case ir.Let(symbol=symbol) | ir.Declare(symbol=symbol):
                yield symbol
            case ir.LetTuple(symbols=symbols):
                yield from (symbol for symbol in symbols if symbol is not None)
            case _:
                pass


def extent(text: str) -> int:
    """The extent that a dimension's text is for the constants of this module."""
    return int(eval(text.replace("/", "//"), dict(CONSTANTS)))  # noqa: S307 - ours


def dtype_of(type_: Type | None) -> str | None:
    """The dtype as the Rust has it."""
    match type_:
        case (
            Scalar(dtype=dtype)
            | Tensor(dtype=dtype)
            | Pointer(dtype=dtype)
            | PointerTensor(dtype=dtype)
        ):
            return dtype_text(dtype).removeprefix("stored ")
        case _:
            return None


def shape_of(type_: Type | None) -> str | None:
    """The shape as the Rust has it."""
    match type_:
        case Tensor(shape=shape) | PointerTensor(shape=shape):
            return shape_text(shape)
        case _:
            return None

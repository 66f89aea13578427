"""Kernels lifted to nests, for the tests of what works on nests."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_file
from transpiler.optimise.launches.split_index import split_index
from transpiler.optimise.lifting.lift import lift
from transpiler.optimise.lifting.normal_form import normalised
from transpiler.optimise.nests.indices import Indices
from transpiler.optimise.nests.nest import Item, Loop, Nest, dump_nest
from transpiler.optimise.nests.work import definitions
from transpiler.optimise.refusals import RefusedError
from transpiler.optimise.symbols import Symbols
from transpiler.passes.cfg import Features
from transpiler.passes.context import PassContext
from transpiler.passes.elaborate import elaborate
from transpiler.passes.pipeline import PREPARE, run_passes
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir

LOAD = "&[], None, None, None, false"
STORE = "&[], None, None"


def kernel(body: str, dtype: str = "D") -> str:
    """A kernel `k` over `x` and `y`, with sizes `a`, `b` and `n` and tiles of `BLOCK`."""
    generic = "D: Float, " if dtype == "D" else ""
    return (
        f"#[kernel]\npub fn k<T: Triton, {generic}const BLOCK: i32>(\n"
        f"    x: T::Pointer<{dtype}>, y: T::Pointer<{dtype}>, a: i32, b: i32, n: i32,\n) {{\n"
        f"{body}\n}}\n"
    )


def module_of(rust: str) -> ir.Module:
    """A file as the optimiser gets it."""
    source = SourceFile("k.rs", rust)
    sink = Sink()
    features = Features(frozenset(), default_features=True)
    module = elaborate(parse_file(source, sink), source, features, sink, frozenset())
    assert not sink.has_errors, [it.message for it in sink.diagnostics]
    return run_passes(module, PassContext(sink=sink), PREPARE)


def routine(body: str, dtype: str = "D") -> ir.Kernel:
    """The kernel with this body as the optimiser gets it."""
    (found,) = module_of(kernel(body, dtype)).kernels
    return found


def lifted(body: str, dtype: str = "D") -> tuple[Nest, Symbols]:
    """The nest of a kernel with this body, and what makes symbols for it.

    Raises:
        RefusedError: it is none.
    """
    written = routine(body, dtype)
    symbols = Symbols(written)
    return lift(normalised(written, symbols), {}, symbols), symbols


def taken_apart(body: str) -> tuple[Nest, Symbols]:
    """The same, with the indices of its loops taken apart where they can be."""
    nest, symbols = lifted(body)
    indices = Indices(definitions(nest.items))

    def split(item: Item) -> Item:
        if not isinstance(item, Loop):
            return item
        with suppress(RefusedError):
            return split_index(item, indices, symbols).loop
        return item

    return replace(nest, items=tuple(map(split, nest.items))), symbols


def dumped(body: str, dtype: str = "D") -> list[str]:
    """The lines of the nest of a kernel with this body."""
    return dump_nest(lifted(body, dtype)[0]).splitlines()


COLUMN_SUM = f"""
    let c = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut acc = zeros;
    let mut s: i32 = 0;
    while s < n {{
        let rows = T::arange(0, BLOCK) + s;
        let mask = rows.lt(n);
        let v = T::load(x.add_offsets(rows * a + c), Some(mask), Some(zeros), {LOAD});
        acc = acc + v * v;
        s += BLOCK;
    }}
    let total = T::sum(acc, None, true);
    T::store(y.add_offsets(T::arange(0, 1) + c), total, None, {STORE});
"""

SCALAR_LOOP = f"""
    let c = T::program_id(Axis::X);
    let mut acc = T::zeros::<D>(&[1]);
    let mut i: i32 = 0;
    while i < a * b {{
        let high = i / b;
        let low = i % b;
        let at = T::arange(0, 1) + (high * n * b + c * b + low);
        acc = acc + T::load(x.add_offsets(at), None, None, {LOAD});
        i += 1;
    }}
    T::store(y.add_offsets(T::arange(0, 1) + c), acc, None, {STORE});
"""

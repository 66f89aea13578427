"""A module built by hand: a kernel that scales rows, and one with a bit of everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit.module import EmittedModule, emit_module
from transpiler.ir import nodes as ir
from transpiler.ir.description import LaunchFacts
from transpiler.ir.types import F32, I32, DType
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from tests.unit.building import Build
    from transpiler.ir.description import KernelPlan

SOURCE = SourceFile("some/folder/rows.rs", "// rows\n" * 40)


def emit(*plans: KernelPlan, docs: tuple[str, ...] = ()) -> EmittedModule:
    """The module of these plans."""
    module = ir.Module(docs=docs, kernels=tuple(plan.kernel for plan in plans))
    return emit_module(module, plans, source=SOURCE, options_text="defaults", version="1.2.3")


def scale_rows(build: Build) -> KernelPlan:
    """`y[i] = (x[i] - largest x) / e as i32 + lambda`, a block at a time, for f32 and f16."""
    d = build.D
    size = build.const("BLOCK_N")
    tile, lanes = build.tile(d, "BLOCK_N"), build.tile(DType.I32, "BLOCK_N")
    x_ptr, y_ptr = build.pointer("x_ptr"), build.pointer("y_ptr")
    n, e = build.parameter("N"), build.parameter("e", F32)
    reserved = build.parameter("lambda", F32)
    first = build.call("arange", 0, size, type_=lanes)
    start, offsets = build.symbol("n_start"), build.symbol("offsets", lanes)
    mask = build.symbol("mask", build.tile(DType.BOOL, "BLOCK_N"))
    x, zeros, peak = (
        build.symbol("x_tile", tile),
        build.symbol("zeros", tile),
        build.symbol("peak", build.tile(d, 1)),
    )
    whole = build.symbol("whole")
    scaled = build.binary(build.binary(x, "-", peak), "/", build.cast(whole, build.scalar(d)), tile)
    kernel = build.kernel(
        "scale_rows",
        [
            build.let(whole, build.cast(e, I32)),
            build.let(
                zeros,
                build.call("zeros", [size], type_=tile, dtypes=[d]),
                build.layout(["Where nothing is read."], blank=True),
            ),
            build.for_(
                start,
                0,
                n,
                size,
                build.let(offsets, build.binary(first, "+", start), build.layout(trailing="lanes")),
                build.let(mask, build.binary(offsets, "<", n)),
                build.let(x, build.load(build.offset(x_ptr, offsets), mask, zeros)),
                build.let(peak, build.call("max", x, None, True, type_=peak.type, dtypes=[d])),
                build.store(
                    build.offset(y_ptr, offsets),
                    build.binary(scaled, "+", build.cast(reserved, build.scalar(d)), tile),
                    mask,
                ),
            ),
        ],
        parameters=[x_ptr, y_ptr, n, e, reserved],
        constants=[size],
        docs=(" Scales rows.", "", " Grid: `[1]`."),
    )
    return build.plan(
        kernel,
        ((DType.F32,), (8,)),
        ((DType.F16,), (8,)),
        facts=LaunchFacts(grid_axes=(0,), reads=("x_ptr",), writes=("y_ptr",), atomics=()),
    )


def quotients(build: Build) -> KernelPlan:
    """`y[i] /= 2` for numbers of either kind; the flag says whether at all."""
    d = build.dtype("D", "Num")
    tile, lanes = build.tile(d, 8), build.tile(DType.I32, 8)
    y_ptr, flag = build.pointer("y_ptr", d), build.const("FLAG", build.scalar(DType.BOOL))
    offsets = build.symbol("offsets", lanes)
    pointers = build.offset(y_ptr, offsets)
    two = build.call("full", [8], build.literal(2, build.scalar(d)), type_=tile, dtypes=[d])
    quotient = build.binary(build.load(pointers), "/", two, tile)
    kernel = build.kernel(
        "quotients",
        [
            build.let(offsets, build.call("arange", 0, 8, type_=lanes)),
            build.if_(flag, [build.store(pointers, quotient)]),
        ],
        parameters=[y_ptr],
        constants=[flag],
        dtype_parameters=(d,),
    )
    return build.plan(
        kernel,
        ((DType.F32,), (True,)),
        ((DType.I32,), (True,)),
        ((DType.I32,), (False,)),
        facts=LaunchFacts(grid_axes=(), reads=("y_ptr",), writes=("y_ptr",), atomics=()),
    )

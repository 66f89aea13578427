"""Programs, creation of tiles, their shapes, and matrix products."""

from __future__ import annotations

from transpiler.ir.types import DType
from transpiler.ops.model import (
    Op,
    RangeBetween,
    RangeOf,
    RangeWithin,
    ShapeBroadcast,
    ShapeDoubled,
    ShapeExpanded,
    ShapeGathered,
    ShapeGiven,
    ShapeHalves,
    ShapeInterval,
    ShapeJoined,
    ShapeMatrixProduct,
    ShapeOf,
    ShapePermuted,
    ShapeRavelled,
)

PROGRAM: tuple[Op, ...] = (
    Op(
        name="program_id",
        family="program",
        signature="(axis: Axis) -> i32",
        triton="tl.program_id(axis)",
        summary="Which program of the grid this is, along an axis.",
        is_program_id=True,
        range=RangeWithin(low=0),
    ),
    Op(
        name="num_programs",
        family="program",
        signature="(axis: Axis) -> i32",
        triton="tl.num_programs(axis)",
        summary="How many programs the grid has along an axis.",
        range=RangeWithin(low=1),
    ),
)

CREATION: tuple[Op, ...] = (
    Op(
        name="arange",
        family="creation",
        signature="(start: const i32, end: const i32) -> Tensor<i32>",
        triton="tl.arange(start, end)",
        summary="start, start + 1, … end - 1; their number is a power of two.",
        shape=ShapeInterval(start="start", end="end"),
        range=RangeBetween(start="start", end="end"),
    ),
    Op(
        name="arange_f32",
        family="creation",
        signature="(start: const i32, end: const i32) -> Tensor<f32>",
        triton="tl.arange(start, end).to(tl.float32)",
        summary="`arange` in f32.",
        shape=ShapeInterval(start="start", end="end"),
    ),
    Op(
        name="zeros",
        family="creation",
        signature="<D: Dtype>(shape: [const i32]) -> Tensor<D>",
        triton="tl.zeros(shape, D)",
        summary="A tile of zeros.",
        shape=ShapeGiven(parameter="shape"),
        keeps_precision=True,
        range=RangeWithin(low=0, high=0),
        value=lambda: 0.0,
    ),
    Op(
        name="zeros_like",
        family="creation",
        signature="<D: Dtype>(x: Tensor<D>) -> Tensor<D>",
        triton="tl.zeros_like(x)",
        summary="A tile of zeros with the shape and dtype of x.",
        shape=ShapeOf(parameter="x"),
        keeps_precision=True,
        range=RangeWithin(low=0, high=0),
        value=lambda _: 0.0,
    ),
    Op(
        name="full",
        family="creation",
        signature="<D: Dtype>(shape: [const i32], value: D) -> Tensor<D>",
        triton="tl.full(shape, value, D)",
        summary="A tile of one value.",
        shape=ShapeGiven(parameter="shape"),
        converts=("value",),
        range=RangeOf(parameters=("value",)),
        copies="value",
    ),
    Op(
        name="cast",
        family="creation",
        signature=(
            "<S: Dtype, R: Dtype>(x: Tensor<S>, fp_downcast_rounding: Option<FpDowncastRounding>, "
            "bitcast: bool) -> Tensor<R>"
        ),
        triton="x.to(R, bitcast=bitcast)",
        given={
            "fp_downcast_rounding": "_convert(x, R, fp_downcast_rounding, bitcast=bitcast)",
        },
        summary="x converted to another dtype.",
        shape=ShapeOf(parameter="x"),
        takes_stored=("x",),
        keeps_precision=True,
        copies="x",
    ),
)

SHAPE: tuple[Op, ...] = (
    Op(
        name="broadcast_to",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, shape: [const i32]) -> Tensor<D>",
        triton="tl.broadcast_to(x, shape)",
        summary="x repeated along its dimensions of extent 1.",
        shape=ShapeGiven(parameter="shape"),
        fits=(("x", "shape"),),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
        copies="x",
    ),
    Op(
        name="expand_dims",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, axis: const i32) -> Tensor<D>",
        triton="tl.expand_dims(x, axis)",
        summary="x with a dimension of extent 1 put in.",
        shape=ShapeExpanded(parameter="x", axis="axis"),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
        copies="x",
    ),
    Op(
        name="permute",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, dims: [const i32]) -> Tensor<D>",
        triton="tl.permute(x, dims)",
        summary="x with its dimensions in another order.",
        shape=ShapePermuted(parameter="x", order="dims"),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
    ),
    Op(
        name="trans",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, dims: [const i32]) -> Tensor<D>",
        triton="tl.trans(x, dims)",
        summary="x with its dimensions in another order.",
        shape=ShapePermuted(parameter="x", order="dims"),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
    ),
    Op(
        name="reshape",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, shape: [const i32], can_reorder: bool) -> Tensor<D>",
        triton="tl.reshape(x, shape)",
        summary="The elements of x in another shape; in this order always.",
        shape=ShapeGiven(parameter="shape"),
        ignores=("can_reorder",),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
    ),
    Op(
        name="view",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, shape: [const i32]) -> Tensor<D>",
        triton="tl.reshape(x, shape)",
        summary="The elements of x in another shape; in their order always.",
        shape=ShapeGiven(parameter="shape"),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
    ),
    Op(
        name="ravel",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, can_reorder: bool) -> Tensor<D>",
        triton="tl.ravel(x)",
        summary="The elements of x in one dimension, in their order always.",
        shape=ShapeRavelled(parameter="x"),
        ignores=("can_reorder",),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
    ),
    Op(
        name="broadcast",
        family="shape",
        signature="<D: Dtype>(a: Tensor<D>, b: Tensor<D>) -> (Tensor<D>, Tensor<D>)",
        triton="tl.broadcast(a, b)",
        summary="a and b, each repeated to the shape they have in common.",
        shape=ShapeBroadcast(parameters=("a", "b")),
        keeps_precision=True,
    ),
    Op(
        name="cat",
        family="shape",
        signature="<D: Dtype>(a: Tensor<D>, b: Tensor<D>, can_reorder: bool) -> Tensor<D>",
        triton="_cat(a, b)",
        summary="The elements of the vector a, then those of b; in this order always.",
        shape=ShapeDoubled(left="a", right="b", is_vector=True),
        ignores=("can_reorder",),
        keeps_precision=True,
        range=RangeOf(parameters=("a", "b")),
    ),
    Op(
        name="join",
        family="shape",
        signature="<D: Dtype>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D>",
        triton="tl.join(a, b)",
        summary="a and b side by side in a new last dimension.",
        shape=ShapeJoined(parameters=("a", "b")),
        keeps_precision=True,
        range=RangeOf(parameters=("a", "b")),
    ),
    Op(
        name="interleave",
        family="shape",
        signature="<D: Dtype>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D>",
        triton="tl.interleave(a, b)",
        summary="The elements of a and b in turn, along the last dimension.",
        shape=ShapeDoubled(left="a", right="b"),
        keeps_precision=True,
        range=RangeOf(parameters=("a", "b")),
    ),
    Op(
        name="split",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>) -> (Tensor<D>, Tensor<D>)",
        triton="tl.split(x)",
        summary="The two halves of x along its last dimension, of extent 2.",
        shape=ShapeHalves(parameter="x"),
        keeps_precision=True,
    ),
    Op(
        name="flip",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, dim: Option<const i32>) -> Tensor<D>",
        triton="_flip(x, dim=dim)",
        summary="x in reverse along a dimension, by default along every one.",
        shape=ShapeOf(parameter="x", axis="dim"),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
    ),
    Op(
        name="gather",
        family="shape",
        signature="<D: Dtype>(src: Tensor<D>, index: Tensor<i32>, axis: const i32) -> Tensor<D>",
        triton="tl.gather(src, index, axis)",
        summary="The elements of src that stand at the indices along an axis.",
        shape=ShapeGathered(source="src", index="index", axis="axis"),
        keeps_precision=True,
        range=RangeOf(parameters=("src",)),
    ),
)

LINEAR_ALGEBRA: tuple[Op, ...] = (
    Op(
        name="dot",
        family="linalg",
        signature=(
            "<D: Num, O: Num>(a: Tensor<D>, b: Tensor<D>, acc: Option<Tensor<O>>, "
            "input_precision: InputPrecision, max_num_imprecise_acc: Option<const i32>) -> Tensor<O>"
        ),
        triton=(
            "tl.dot(a, b, acc=acc, input_precision=input_precision, "
            "max_num_imprecise_acc=max_num_imprecise_acc, out_dtype=O)"
        ),
        summary="The matrix product of a and b, added to acc.",
        spelled_for={"D": frozenset(DType) - {DType.BF16}},
        elsewhere=(
            "_dot(a, b, acc=acc, input_precision=input_precision, "
            "max_num_imprecise_acc=max_num_imprecise_acc, out_dtype=O)"
        ),
        shape=ShapeMatrixProduct(left="a", right="b"),
        narrows=("a", "b"),
        instances=(
            (DType.F32, DType.F32),
            (DType.F64, DType.F64),
            (DType.F16, DType.F16),
            (DType.F16, DType.F32),
            (DType.BF16, DType.BF16),
            (DType.BF16, DType.F32),
            (DType.I8, DType.I32),
        ),
    ),
    Op(
        name="dot_scaled",
        family="linalg",
        signature=(
            "<D: Num, S: Num, O: Num>(lhs: Tensor<D>, lhs_scale: Tensor<S>, lhs_format: DotFormat, "
            "rhs: Tensor<D>, rhs_scale: Tensor<S>, rhs_format: DotFormat, acc: Option<Tensor<O>>, "
            "fast_math: bool) -> Tensor<O>"
        ),
        triton=(
            "tl.dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=acc, "
            "fast_math=fast_math, out_dtype=O)"
        ),
        summary="The matrix product of microscaled floats, each block of 32 with its own exponent.",
        shape=ShapeMatrixProduct(left="lhs", right="rhs", is_packed=True),
        narrows=("lhs", "rhs"),
        dtypes={
            "D": frozenset({DType.U8, DType.F16, DType.BF16}),
            "S": frozenset({DType.U8}),
            "O": frozenset({DType.F32}),
        },
    ),
)

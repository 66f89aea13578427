"""Programs, creation of tiles, their shapes, and matrix products."""

from __future__ import annotations

from transpiler.ops.model import (
    Op,
    ShapeExpanded,
    ShapeGiven,
    ShapeInterval,
    ShapeMatrixProduct,
    ShapeOf,
    ShapePermuted,
)

PROGRAM: tuple[Op, ...] = (
    Op(
        name="program_id",
        family="program",
        signature="(axis: Axis) -> i32",
        triton="tl.program_id(axis)",
        summary="Which program of the grid this is, along an axis.",
    ),
    Op(
        name="num_programs",
        family="program",
        signature="(axis: Axis) -> i32",
        triton="tl.num_programs(axis)",
        summary="How many programs the grid has along an axis.",
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
    ),
    Op(
        name="zeros_like",
        family="creation",
        signature="<D: Dtype>(x: Tensor<D>) -> Tensor<D>",
        triton="tl.zeros_like(x)",
        summary="A tile of zeros with the shape and dtype of x.",
        shape=ShapeOf(parameter="x"),
    ),
    Op(
        name="full",
        family="creation",
        signature="<D: Dtype>(shape: [const i32], value: D) -> Tensor<D>",
        triton="tl.full(shape, value, D)",
        summary="A tile of one value.",
        shape=ShapeGiven(parameter="shape"),
        converts=("value",),
    ),
    Op(
        name="cast",
        family="creation",
        signature=(
            "<S: Dtype, R: Dtype>(x: Tensor<S>, fp_downcast_rounding: Option<FpDowncastRounding>, "
            "bitcast: bool) -> Tensor<R>"
        ),
        triton="x.to(R, fp_downcast_rounding=fp_downcast_rounding, bitcast=bitcast)",
        summary="x converted to another dtype.",
        shape=ShapeOf(parameter="x"),
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
    ),
    Op(
        name="expand_dims",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, axis: const i32) -> Tensor<D>",
        triton="tl.expand_dims(x, axis)",
        summary="x with a dimension of extent 1 put in.",
        shape=ShapeExpanded(parameter="x", axis="axis"),
    ),
    Op(
        name="permute",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, dims: [const i32]) -> Tensor<D>",
        triton="tl.permute(x, dims)",
        summary="x with its dimensions in another order.",
        shape=ShapePermuted(parameter="x", order="dims"),
    ),
    Op(
        name="trans",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, dims: [const i32]) -> Tensor<D>",
        triton="tl.trans(x, dims)",
        summary="x with its dimensions in another order.",
        shape=ShapePermuted(parameter="x", order="dims"),
    ),
    Op(
        name="reshape",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, shape: [const i32], can_reorder: bool) -> Tensor<D>",
        triton="tl.reshape(x, shape, can_reorder=can_reorder)",
        summary="The elements of x in another shape.",
        shape=ShapeGiven(parameter="shape"),
    ),
    Op(
        name="view",
        family="shape",
        signature="<D: Dtype>(x: Tensor<D>, shape: [const i32]) -> Tensor<D>",
        triton="tl.reshape(x, shape, can_reorder=True)",
        summary="The elements of x in another shape, in any order.",
        shape=ShapeGiven(parameter="shape"),
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
        shape=ShapeMatrixProduct(left="a", right="b"),
    ),
)

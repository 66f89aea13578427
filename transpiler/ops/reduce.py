"""Reductions and scans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.nodes import BinaryOperator
from transpiler.ir.types import Bound
from transpiler.ops.model import (
    Op,
    RangeOf,
    RangeWithin,
    ShapeExtent,
    ShapeOf,
    ShapeOfLastAxis,
    ShapeReduced,
)

if TYPE_CHECKING:
    from transpiler.ops.model import RangeRule

# Triton sums narrower integers in 32 bits, and says so in the dtype of the result.
_SUMMED_AS_THEY_ARE = {
    "D": frozenset(dtype for dtype in Bound.NUM.dtypes if dtype.is_float or dtype.bits >= 32)
}


_INFINITY = float("inf")


def _reduction(
    name: str,
    bound: str,
    triton: str,
    summary: str,
    identity: float,
    combines: BinaryOperator | str,
    range_: RangeRule = None,
) -> Op:
    return Op(
        name=name,
        family="reduce",
        signature=(
            f"<D: {bound}>(x: Tensor<D>, axis: Option<const i32>, keep_dims: bool) -> Tensor<D>"
        ),
        triton=triton,
        summary=summary,
        shape=ShapeReduced(parameter="x", axis="axis", keep_dims="keep_dims"),
        range=range_,
        identity=identity,
        combines=combines,
        any_width=True,
    )


def _scan(name: str, summary: str) -> Op:
    return Op(
        name=name,
        family="scan",
        signature="<D: Num>(x: Tensor<D>, axis: const i32, reverse: bool) -> Tensor<D>",
        triton=f"tl.{name}(x, axis, reverse=reverse)",
        summary=summary,
        shape=ShapeOf(parameter="x", axis="axis"),
        spelled_for=_SUMMED_AS_THEY_ARE,
        elsewhere=f"tl.{name}(x, axis, reverse=reverse).to(D)",
        any_width=True,
    )


def _arg_reduction(
    name: str, triton: str, summary: str, identity: float, result: str = "Tensor<i32>"
) -> Op:
    return Op(
        name=name,
        family="reduce",
        signature=(
            "<D: Num>(x: Tensor<D>, axis: const i32, tie_break_left: bool, keep_dims: bool)"
            f" -> {result}"
        ),
        triton=triton,
        summary=summary,
        shape=ShapeReduced(parameter="x", axis="axis", keep_dims="keep_dims"),
        range=RangeWithin(low=0),
        identity=identity,
    )


_WITH_INDICES = "(Tensor<D>, Tensor<i32>)"
_MAX = "_max_with_indices(x, axis, tie_break_left=tie_break_left, keep_dims=keep_dims)"
_MIN = "_min_with_indices(x, axis, tie_break_left=tie_break_left, keep_dims=keep_dims)"

REDUCE: tuple[Op, ...] = (
    Op(
        name="sum",
        family="reduce",
        signature="<D: Num>(x: Tensor<D>, axis: Option<const i32>, keep_dims: bool) -> Tensor<D>",
        triton="tl.sum(x, axis=axis, keep_dims=keep_dims)",
        summary="The sum.",
        shape=ShapeReduced(parameter="x", axis="axis", keep_dims="keep_dims", is_general=False),
        spelled_for=_SUMMED_AS_THEY_ARE,
        elsewhere="tl.sum(x, axis=axis, keep_dims=keep_dims).to(D)",
        identity=0.0,
        combines=BinaryOperator.ADD,
        any_width=True,
    ),
    _reduction(
        "max",
        "Num",
        "tl.reduce(x, axis, _maximum, keep_dims=keep_dims)",
        "The largest; NaN where one is NaN.",
        -_INFINITY,
        "maximum",
        RangeOf(parameters=("x",)),
    ),
    _reduction(
        "min",
        "Num",
        "tl.reduce(x, axis, _minimum, keep_dims=keep_dims)",
        "The smallest; NaN where one is NaN.",
        _INFINITY,
        "minimum",
        RangeOf(parameters=("x",)),
    ),
    _reduction(
        "xor_sum",
        "Int",
        "tl.xor_sum(x, axis=axis, keep_dims=keep_dims)",
        "Bitwise xor.",
        0.0,
        BinaryOperator.BIT_XOR,
    ),
    _arg_reduction(
        "argmax", f"{_MAX}[1]", "Where the largest stands, or the first NaN.", -_INFINITY
    ),
    _arg_reduction(
        "argmin", f"{_MIN}[1]", "Where the smallest stands, or the first NaN.", _INFINITY
    ),
    _arg_reduction(
        "max_with_indices",
        _MAX,
        "The largest, or NaN, and where it stands.",
        -_INFINITY,
        _WITH_INDICES,
    ),
    _arg_reduction(
        "min_with_indices",
        _MIN,
        "The smallest, or NaN, and where it stands.",
        _INFINITY,
        _WITH_INDICES,
    ),
    _scan("cumsum", "The sums of all elements up to each."),
    _scan("cumprod", "The products of all elements up to each."),
    Op(
        name="sort",
        family="scan",
        signature="<D: Num>(x: Tensor<D>, dim: Option<const i32>, descending: bool) -> Tensor<D>",
        triton="tl.sort(x, dim=dim, descending=descending)",
        summary="x in order along its last dimension; where a NaN comes to stand is not said.",
        shape=ShapeOfLastAxis(parameter="x", axis="dim"),
        range=RangeOf(parameters=("x",)),
        any_width=True,
    ),
    Op(
        name="reduce",
        family="reduce",
        signature=(
            "<D: Dtype, O: Dtype>(x: Tensor<D>, axis: const i32, combine_fn: fn<O>, "
            "keep_dims: bool) -> Tensor<O>"
        ),
        triton="tl.reduce(x, axis, combine_fn, keep_dims=keep_dims)",
        summary="All elements along an axis, made one by a function of two; in any order.",
        shape=ShapeReduced(parameter="x", axis="axis", keep_dims="keep_dims"),
    ),
    Op(
        name="associative_scan",
        family="scan",
        signature=(
            "<D: Dtype>(x: Tensor<D>, axis: const i32, combine_fn: fn<D>, reverse: bool)"
            " -> Tensor<D>"
        ),
        triton="tl.associative_scan(x, axis, combine_fn, reverse=reverse)",
        summary="All elements up to each, made one by an associative function of two.",
        shape=ShapeOf(parameter="x", axis="axis"),
    ),
    Op(
        name="histogram",
        family="scan",
        signature="(x: Tensor<i32>, num_bins: const i32, mask: Option<Mask>) -> Tensor<i32>",
        triton="tl.histogram(x, num_bins, mask=mask)",
        summary="How often each of 0, 1, … num_bins - 1 occurs.",
        shape=ShapeExtent(vector="x", extent="num_bins"),
        fits=(("mask", "x"),),
        range=RangeWithin(low=0),
    ),
)

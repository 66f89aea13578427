"""Reductions and scans."""

from __future__ import annotations

from transpiler.ops.model import Op, ShapeOf, ShapeReduced


def _reduction(name: str, bound: str, triton: str, summary: str) -> Op:
    return Op(
        name=name,
        family="reduce",
        signature=(
            f"<D: {bound}>(x: Tensor<D>, axis: Option<const i32>, keep_dims: bool) -> Tensor<D>"
        ),
        triton=triton,
        summary=summary,
        shape=ShapeReduced(parameter="x", axis="axis", keep_dims="keep_dims"),
    )


def _scan(name: str, summary: str) -> Op:
    return Op(
        name=name,
        family="scan",
        signature="<D: Num>(x: Tensor<D>, axis: const i32, reverse: bool) -> Tensor<D>",
        triton=f"tl.{name}(x, axis, reverse=reverse)",
        summary=summary,
        shape=ShapeOf(parameter="x"),
    )


def _arg_reduction(name: str, summary: str) -> Op:
    return Op(
        name=name,
        family="reduce",
        signature=(
            "<D: Num>(x: Tensor<D>, axis: const i32, tie_break_left: bool, keep_dims: bool)"
            " -> Tensor<i32>"
        ),
        triton=f"tl.{name}(x, axis, tie_break_left, keep_dims=keep_dims)",
        summary=summary,
        shape=ShapeReduced(parameter="x", axis="axis", keep_dims="keep_dims"),
    )


REDUCE: tuple[Op, ...] = (
    _reduction("sum", "Num", "tl.sum(x, axis=axis, keep_dims=keep_dims)", "The sum."),
    _reduction(
        "max",
        "Num",
        "tl.reduce(x, axis, _maximum, keep_dims=keep_dims)",
        "The largest; NaN where one is NaN.",
    ),
    _reduction(
        "min",
        "Num",
        "tl.reduce(x, axis, _minimum, keep_dims=keep_dims)",
        "The smallest; NaN where one is NaN.",
    ),
    _reduction("xor_sum", "Int", "tl.xor_sum(x, axis=axis, keep_dims=keep_dims)", "Bitwise xor."),
    _arg_reduction("argmax", "Where the largest stands."),
    _arg_reduction("argmin", "Where the smallest stands."),
    _scan("cumsum", "The sums of all elements up to each."),
    _scan("cumprod", "The products of all elements up to each."),
)

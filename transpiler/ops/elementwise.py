"""Element-wise mathematics and comparisons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from transpiler.ir.nodes import BinaryOperator
from transpiler.ir.types import Bound, DType
from transpiler.ops.model import (
    Op,
    RangeClamped,
    RangeLargest,
    RangeMagnitude,
    RangeOf,
    RangeRoundedUp,
    RangeSmallest,
    ShapeBroadcast,
    ShapeOf,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.ops.model import RangeRule

_SINGLE_ONLY = {"D": frozenset({DType.F32})}
_FLOATS_ONLY = {"D": frozenset(Bound.FLOAT.dtypes)}
_INTEGERS_ONLY = {"D": frozenset(Bound.INT.dtypes)}


def _unary(
    name: str,
    bound: str,
    summary: str,
    value: Callable[[float], float],
    *,
    triton: str = "",
    range_: RangeRule = None,
    dtypes: frozenset[DType] | None = None,
    zeros_are_one: bool = False,
) -> Op:
    return Op(
        name=name,
        family="math",
        signature=f"<D: {bound}>(x: Tensor<D>) -> Tensor<D>",
        triton=triton or f"tl.{name}(x)",
        summary=summary,
        shape=ShapeOf(parameter="x"),
        takes_zeros_as_one=zeros_are_one,
        range=range_,
        dtypes={} if dtypes is None else {"D": dtypes},
        value=value,
        # Of an integer, each of them that has one is the same number.
        any_width=True,
    )


def _extremum(
    name: str, word: str, value: Callable[[float, float], float], range_: RangeRule
) -> Op:
    return Op(
        name=name,
        family="math",
        signature="<D: Num>(x: Tensor<D>, y: Tensor<D>) -> Tensor<D>",
        triton=f"tl.{name}(x, y)",
        summary=f"The {word} of x and y; NaN where either is NaN.",
        shape=ShapeBroadcast(parameters=("x", "y")),
        spelled_for=_INTEGERS_ONLY,
        elsewhere=f"tl.{name}(x, y, propagate_nan=tl.PropagateNan.ALL)",
        range=range_,
        value=value,
        any_width=True,
    )


def _compare(name: str, operator: str, words: str) -> tuple[Op, Op]:
    meaning = BinaryOperator(operator)
    tile = Op(
        name=name,
        family="compare",
        signature="<D: Num>(x: Tensor<D>, y: Tensor<D>) -> Mask",
        triton=f"x {operator} y",
        summary=f"Where x is {words} y.",
        shape=ShapeBroadcast(parameters=("x", "y")),
        takes_zeros_as_one=True,
        operator=meaning,
    )
    scalar = Op(
        name=f"{name}_scalar",
        family="compare",
        signature="<D: Num>(x: Tensor<D>, y: D) -> Mask",
        triton=f"x {operator} y",
        summary=f"Where x is {words} the scalar y.",
        shape=ShapeOf(parameter="x"),
        takes_zeros_as_one=True,
        operator=meaning,
    )
    return tile, scalar


ELEMENTWISE: tuple[Op, ...] = (
    _unary(
        "abs",
        "Dtype",
        "Absolute value.",
        abs,
        range_=RangeMagnitude(parameter="x"),
        dtypes=frozenset(Bound.NUM.dtypes),
        zeros_are_one=True,
    ),
    _unary("ceil", "Float", "Smallest integer not below x.", math.ceil),
    _unary("floor", "Float", "Largest integer not above x.", math.floor),
    _unary("cos", "Float", "Cosine of x in radians.", math.cos, zeros_are_one=True),
    _unary("sin", "Float", "Sine of x in radians.", math.sin),
    _unary("exp", "Float", "e to the power x.", math.exp, zeros_are_one=True),
    _unary("exp2", "Float", "2 to the power x.", math.exp2, zeros_are_one=True),
    _unary("log", "Float", "Natural logarithm.", math.log),
    _unary("log2", "Float", "Logarithm to base 2.", math.log2),
    _unary("rsqrt", "Float", "1 / sqrt(x), approximate on a GPU.", lambda x: x**-0.5),
    _unary(
        "sigmoid",
        "Float",
        "1 / (1 + exp(-x)).",
        lambda x: 1.0 / (1.0 + math.exp(-x)),
        zeros_are_one=True,
    ),
    _unary("sqrt", "Float", "Square root, approximate in f32 on a GPU.", math.sqrt),
    _unary("erf", "Float", "The error function.", math.erf),
    Op(
        name="sqrt_rn",
        family="math",
        signature="<D: Float>(x: Tensor<D>) -> Tensor<D>",
        triton="tl.sqrt_rn(x)",
        summary="Square root, rounded to nearest.",
        shape=ShapeOf(parameter="x"),
        spelled_for=_SINGLE_ONLY,
        elsewhere="_sqrt_rn(x)",
        value=math.sqrt,
    ),
    _unary("atan", "Float", "Arc tangent of x, in radians.", math.atan, triton="_atan(x)"),
    Op(
        name="softmax",
        family="math",
        signature=(
            "<D: Float>(x: Tensor<D>, dim: Option<const i32>, keep_dims: bool, "
            "ieee_rounding: bool) -> Tensor<D>"
        ),
        triton="_softmax(x, dim=dim, ieee_rounding=ieee_rounding)",
        summary="exp(x) over its sum along a dimension, by default the last; of the shape of x.",
        shape=ShapeOf(parameter="x", axis="dim"),
        ignores=("keep_dims",),
        identity=-math.inf,
    ),
    _extremum("maximum", "larger", max, RangeLargest(parameters=("x", "y"))),
    _extremum("minimum", "smaller", min, RangeSmallest(parameters=("x", "y"))),
    Op(
        name="clamp",
        family="math",
        signature="<D: Num>(x: Tensor<D>, lo: Tensor<D>, hi: Tensor<D>) -> Tensor<D>",
        triton="tl.clamp(x, lo, hi)",
        summary="x held between lo and hi.",
        shape=ShapeBroadcast(parameters=("x", "lo", "hi")),
        spelled_for=_FLOATS_ONLY,
        elsewhere="_clamp(x, lo, hi)",
        range=RangeClamped(parameters=("x", "lo", "hi")),
        value=lambda x, lo, hi: min(max(x, lo), hi),
        any_width=True,
    ),
    Op(
        name="fma",
        family="math",
        signature="<D: Float>(x: Tensor<D>, y: Tensor<D>, z: Tensor<D>) -> Tensor<D>",
        triton="tl.fma(x, y, z)",
        summary="x * y + z, rounded once.",
        shape=ShapeBroadcast(parameters=("x", "y", "z")),
        value=lambda x, y, z: x * y + z,
    ),
    Op(
        name="fdiv",
        family="math",
        signature="<D: Float>(x: Tensor<D>, y: Tensor<D>, ieee_rounding: bool) -> Tensor<D>",
        triton="tl.fdiv(x, y, ieee_rounding=ieee_rounding)",
        summary="x / y.",
        shape=ShapeBroadcast(parameters=("x", "y")),
        operator=BinaryOperator.DIVIDE,
    ),
    Op(
        name="div_rn",
        family="math",
        signature="<D: Float>(x: Tensor<D>, y: Tensor<D>) -> Tensor<D>",
        triton="tl.div_rn(x, y)",
        summary="x / y, rounded to nearest.",
        shape=ShapeBroadcast(parameters=("x", "y")),
        spelled_for=_SINGLE_ONLY,
        elsewhere="_div_rn(x, y)",
        operator=BinaryOperator.DIVIDE,
    ),
    Op(
        name="umulhi",
        family="math",
        signature="(x: Tensor<u32>, y: Tensor<u32>) -> Tensor<u32>",
        triton="tl.umulhi(x, y)",
        summary="The upper 32 bits of the 64-bit product.",
        shape=ShapeBroadcast(parameters=("x", "y")),
    ),
    Op(
        name="where_",
        family="compare",
        signature="<D: Dtype>(cond: Mask, x: Tensor<D>, y: Tensor<D>) -> Tensor<D>",
        triton="tl.where(cond, x, y)",
        summary="x where cond holds, y elsewhere; both are computed.",
        shape=ShapeBroadcast(parameters=("cond", "x", "y")),
        keeps_precision=True,
        range=RangeOf(parameters=("x", "y")),
        selects=("cond", "x", "y"),
        any_width=True,
    ),
    *_compare("lt", "<", "less than"),
    *_compare("le", "<=", "at most"),
    *_compare("gt", ">", "greater than"),
    *_compare("ge", ">=", "at least"),
    *_compare("eq", "==", "equal to"),
    *_compare("ne", "!=", "different from"),
    Op(
        name="cdiv",
        family="math",
        signature="(x: i32, div: i32) -> i32",
        triton="tl.cdiv(x, div)",
        summary="x / div, rounded up.",
        keeps_constants=True,
        range=RangeRoundedUp(parameters=("x", "div")),
        any_width=True,
    ),
    Op(
        name="swizzle2d",
        family="program",
        signature="(i: i32, j: i32, size_i: i32, size_j: i32, size_g: i32) -> (i32, i32)",
        triton="tl.swizzle2d(i, j, size_i, size_j, size_g)",
        summary="Row-major indices of a matrix, made column-major within each group of rows.",
        any_width=True,
    ),
)

"""Biases, resampling, lookups, permutations: mostly numbers that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.builders import ceil_div, gradient
from tests.corpus.model import FLOATS, NUMBERS, WIDE, Case, Launch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.corpus.model import Prepare, Sampler, Tensors
    from transpiler.ir.types import DType


def _bias(sample: Sampler, b: int, c: int, hw: int, block: int) -> Launch:
    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c, hw),
            "bias_ptr": sample.normal(c),
            "y_ptr": torch.zeros(b, c, hw),
        },
        numbers={"C": c, "HW": hw},
        expected=lambda given: {"y_ptr": given["x_ptr"] + given["bias_ptr"][:, None]},
        constants={"BLOCK_HW": block},
        grid=(c, b),
    )


def _bias_backward(sample: Sampler, b: int, c: int, hw: int, block: int) -> Launch:
    return Launch(
        tensors={"dy_ptr": sample.normal(b, c, hw), "dbias_ptr": torch.zeros(c)},
        numbers={"B": b, "C": c, "HW": hw},
        expected=lambda given: {"dbias_ptr": given["dy_ptr"].sum((0, 2))},
        constants={"BLOCK_HW": block},
        grid=(c,),
    )


def _nearest(x: torch.Tensor, sh: int, sw: int) -> torch.Tensor:
    return x.repeat_interleave(sh, 2).repeat_interleave(sw, 3)


def _upsample(
    sample: Sampler, b: int, c: int, h: int, w: int, sh: int, sw: int, block: int
) -> Launch:
    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c, h, w),
            "y_ptr": torch.zeros(b, c, h * sh, w * sw),
        },
        numbers={"_B": b, "C": c, "H": h, "W": w, "OH": h * sh, "OW": w * sw},
        expected=lambda given: {"y_ptr": _nearest(given["x_ptr"], sh, sw)},
        constants={"SCALE_H": sh, "SCALE_W": sw, "BLOCK_OW": block},
        grid=(b * c * h * sh * ceil_div(w * sw, block),),
    )


def _upsample_backward(
    sample: Sampler, b: int, c: int, h: int, w: int, sh: int, sw: int, block: int
) -> Launch:
    blank = torch.zeros(b, c, h, w, dtype=torch.float64)

    def expected(given: Tensors) -> Tensors:
        found = gradient(lambda x: _nearest(x, sh, sw))(given["dy_ptr"], blank)
        return {"dx_ptr": torch.as_tensor(found)}

    return Launch(
        tensors={"dy_ptr": sample.normal(b, c, h * sh, w * sw), "dx_ptr": blank},
        numbers={"_B": b, "H": h, "W": w, "OH": h * sh, "OW": w * sw},
        expected=expected,
        constants={"SCALE_H": sh, "SCALE_W": sw, "BLOCK_IW": block},
        grid=(b * c * h * ceil_div(w, block),),
    )


def _bilinear(sample: Sampler, bc: int, h: int, w: int, oh: int, ow: int, block: int) -> Launch:
    """At ratios that are powers of two, so that the weights are the same numbers in f32 and f64."""
    ratio_h, ratio_w = (h - 1) / max(oh - 1, 1), (w - 1) / max(ow - 1, 1)

    def expected(given: Tensors) -> Tensors:
        x = given["x_ptr"][None]
        return {"y_ptr": F.interpolate(x, (oh, ow), mode="bilinear", align_corners=True)}

    return Launch(
        tensors={"x_ptr": sample.normal(bc, h, w), "y_ptr": torch.zeros(bc, oh, ow)},
        numbers={
            "H": h,
            "W": w,
            "OH": oh,
            "OW": ow,
            "ratio_h": ratio_h,
            "ratio_w": ratio_w,
        },
        expected=expected,
        constants={"BLOCK_OW": block},
        grid=(bc * oh * ceil_div(ow, block),),
    )


def _shuffle(sample: Sampler, b: int, c: int, h: int, w: int, r: int, block: int) -> Launch:
    n = b * c * r * r * h * w
    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c * r * r, h, w),
            "y_ptr": torch.zeros(b, c, h * r, w * r),
        },
        numbers={"n_elements": n, "C": c, "H": h, "W": w, "R": r},
        expected=lambda given: {"y_ptr": F.pixel_shuffle(given["x_ptr"], r)},
        constants={"BLOCK_SIZE": block},
        grid=(ceil_div(n, block),),
    )


def _embedding(sample: Sampler, tokens: int, rows: int, dim: int, block: int) -> Launch:
    return Launch(
        tensors={
            "ids_ptr": sample.whole(0, rows, tokens),
            "table_ptr": sample.normal(rows, dim),
            "y_ptr": torch.zeros(tokens, dim),
        },
        numbers={"n_tokens": tokens, "dim": dim},
        expected=lambda given: {"y_ptr": given["table_ptr"][given["ids_ptr"]]},
        constants={"BLOCK_SIZE": block},
        grid=(tokens + 2,),
    )


def _embedding_backward(sample: Sampler, tokens: int, rows: int, dim: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        blank = torch.zeros(rows, dim, dtype=torch.float64)
        return {"dtable_ptr": blank.index_add(0, given["ids_ptr"], given["dy_ptr"])}

    return Launch(
        tensors={
            "ids_ptr": sample.whole(0, rows, tokens),
            "dy_ptr": sample.normal(tokens, dim),
            "dtable_ptr": torch.zeros(rows, dim),
        },
        numbers={"n_tokens": tokens, "dim": dim},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(tokens + 2, ceil_div(dim, block)),
    )


def _gather(sample: Sampler, rows: int, n: int, out: int, block: int) -> Launch:
    return Launch(
        tensors={
            "x_ptr": sample.normal(rows, n),
            "index_ptr": sample.whole(0, n, rows, out),
            "y_ptr": torch.zeros(rows, out),
        },
        numbers={"n_cols": n, "n_out": out},
        expected=lambda given: {"y_ptr": given["x_ptr"].gather(1, given["index_ptr"])},
        constants={"BLOCK_SIZE": block},
        grid=(rows, ceil_div(out, block)),
    )


def _one_hot(sample: Sampler, rows: int, c: int, block: int) -> Launch:
    return Launch(
        tensors={"target_ptr": sample.whole(0, c, rows), "y_ptr": torch.ones(rows, c)},
        numbers={"_n_rows": rows, "C": c},
        expected=lambda given: {"y_ptr": F.one_hot(given["target_ptr"], c)},
        constants={"BLOCK_SIZE": block},
        grid=(rows,),
    )


def _transpose(sample: Sampler, m: int, n: int, bm: int, bn: int) -> Launch:
    return Launch(
        tensors={"x_ptr": sample.normal(m, n), "y_ptr": torch.zeros(n, m)},
        numbers={"M": m, "N": n},
        expected=lambda given: {"y_ptr": given["x_ptr"].T},
        constants={"BLOCK_M": bm, "BLOCK_N": bn},
        grid=(ceil_div(m, bm), ceil_div(n, bn)),
    )


def _concat(sample: Sampler, rows: int, na: int, nb: int, block: int) -> Launch:
    return Launch(
        tensors={
            "a_ptr": sample.normal(rows, na),
            "b_ptr": sample.normal(rows, nb),
            "y_ptr": torch.zeros(rows, na + nb),
        },
        numbers={"_n_rows": rows, "na": na, "nb": nb},
        expected=lambda given: {"y_ptr": torch.cat([given["a_ptr"], given["b_ptr"]], 1)},
        constants={"BLOCK_SIZE": block},
        grid=(rows, ceil_div(na + nb, block)),
    )


def _case(
    kernel: str,
    prepare: Prepare,
    shapes: tuple[Mapping[str, int], ...],
    dtypes: tuple[DType | None, ...] = (None,),
    tolerance: str = "exact",
) -> Case:
    return Case(
        topic="tensor",
        kernel=kernel,
        prepare=prepare,
        shapes=shapes,
        dtypes=dtypes,
        tolerance=tolerance,
    )


_PLANES = (
    {"b": 2, "c": 3, "hw": 21, "block": 16},
    {"b": 1, "c": 1, "hw": 1, "block": 16},
    {"b": 3, "c": 1, "hw": 16, "block": 64},
)
_GROWN = (
    {"b": 2, "c": 2, "h": 3, "w": 5, "sh": 2, "sw": 3, "block": 8},
    {"b": 1, "c": 1, "h": 1, "w": 1, "sh": 1, "sw": 1, "block": 16},
)
_TOKENS = (
    {"tokens": 5, "rows": 3, "dim": 21, "block": 16},
    {"tokens": 1, "rows": 1, "dim": 1, "block": 16},
)

CASES = [
    _case("nchw_bias_add_forward", _bias, _PLANES, FLOATS, "sum"),
    _case("nchw_bias_add_backward", _bias_backward, _PLANES, FLOATS, "sum"),
    _case("upsample_nearest2d_forward", _upsample, _GROWN, FLOATS),
    _case("upsample_nearest2d_backward", _upsample_backward, _GROWN, FLOATS, "sum"),
    _case(
        "upsample_bilinear2d_forward",
        _bilinear,
        (
            {"bc": 3, "h": 3, "w": 5, "oh": 5, "ow": 17, "block": 8},
            {"bc": 1, "h": 1, "w": 1, "oh": 3, "ow": 1, "block": 16},
        ),
        tolerance="sum",
    ),
    _case(
        "pixel_shuffle_forward",
        _shuffle,
        (
            {"b": 2, "c": 3, "h": 2, "w": 3, "r": 2, "block": 16},
            {"b": 1, "c": 1, "h": 1, "w": 1, "r": 1, "block": 16},
        ),
        NUMBERS,
    ),
    _case("embedding_forward", _embedding, _TOKENS, FLOATS),
    _case("embedding_backward", _embedding_backward, _TOKENS, WIDE, "sum"),
    _case(
        "gather_forward",
        _gather,
        (
            {"rows": 3, "n": 11, "out": 21, "block": 16},
            {"rows": 1, "n": 1, "out": 1, "block": 16},
        ),
        NUMBERS,
    ),
    _case(
        "one_hot_forward",
        _one_hot,
        ({"rows": 3, "c": 11, "block": 16}, {"rows": 1, "c": 1, "block": 16}),
    ),
    _case(
        "transpose_forward",
        _transpose,
        ({"m": 21, "n": 37, "bm": 8, "bn": 16}, {"m": 1, "n": 1, "bm": 16, "bn": 16}),
        NUMBERS,
    ),
    _case(
        "concat_forward",
        _concat,
        (
            {"rows": 3, "na": 5, "nb": 16, "block": 8},
            {"rows": 1, "na": 1, "nb": 1, "block": 16},
        ),
        NUMBERS,
    ),
]

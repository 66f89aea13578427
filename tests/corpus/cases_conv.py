"""Convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.builders import ceil_div, gradient
from tests.corpus.model import FLOATS, NUMBERS, WIDE, Case, Launch
from tests.corpus.windows import Window, extents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.corpus.model import Prepare, Sampler, Tensors
    from transpiler.ir.types import DType

_IMAGES = (
    extents("b=2 ci=2 co=3 h=3 w=6 block=4 kh=2 kw=2 sh=2 sw=1 ph=1 pw=1"),
    extents("b=1 ci=1 co=1 h=1 w=1 block=16 kh=1 kw=1"),
    extents("b=1 ci=3 co=2 h=4 w=5 block=4 kh=2 kw=3 sh=1 sw=2 ph=0 pw=2"),
)


def _sizes(shape: Mapping[str, int], window: Window, *, b: str = "_B") -> dict[str, int]:
    names = {1: ("L",), 2: ("H", "W"), 3: ("Dv", "H", "W")}[len(window.axes)]
    return {
        b: shape["b"],
        "C_IN": shape["ci"],
        "C_OUT": shape["co"],
        **dict(zip(names, window.size, strict=True)),
        **dict(zip(("O" + name[0] for name in names), window.out, strict=True)),
    }


def _constants(window: Window, block: str = "BLOCK_OW") -> dict[str, int]:
    kh, kw = window.axes
    return {
        "KH": kh.kernel,
        "KW": kw.kernel,
        "STRIDE_H": kh.stride,
        "STRIDE_W": kw.stride,
        "PAD_H": kh.padding,
        "PAD_W": kw.padding,
        block: window.block,
    }


def _weights(sample: Sampler, shape: Mapping[str, int], window: Window) -> torch.Tensor:
    return sample.normal(shape["co"], shape["ci"] // shape.get("g", 1), *window.kernel)


def _conv(x: torch.Tensor, w: torch.Tensor, window: Window, groups: int = 1) -> torch.Tensor:
    """By windows, since torch has no integer convolutions."""
    pads = [each for axis in reversed(window.axes) for each in (axis.padding, axis.padding)]
    x = F.pad(x, pads)
    for place, axis in enumerate(window.axes, start=2):
        x = x.unfold(place, axis.kernel, axis.stride)
    rank = len(window.axes)
    parts = []
    for part, filters in zip(x.chunk(groups, 1), w.chunk(groups, 0), strict=True):
        spread = part.unsqueeze(1) * filters.view(
            1, filters.shape[0], filters.shape[1], *[1] * rank, *window.kernel
        )
        parts.append(spread.flatten(3 + rank).sum(-1).sum(2))
    return torch.cat(parts, 1)


def _conv1d(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    (axis,) = window.axes

    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": _conv(given["x_ptr"], given["w_ptr"], window, shape["g"])}

    return Launch(
        tensors={
            "x_ptr": sample.normal(shape["b"], shape["ci"], axis.size),
            "w_ptr": _weights(sample, shape, window),
            "y_ptr": torch.zeros(shape["b"], shape["co"], axis.out),
        },
        numbers=_sizes(shape, window),
        expected=expected,
        constants={
            "KL": axis.kernel,
            "STRIDE": axis.stride,
            "PAD": axis.padding,
            "G": shape["g"],
            "BLOCK_OL": window.block,
        },
        grid=(window.programs(shape["b"] * shape["co"]),),
    )


def _conv2d(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)

    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": _conv(given["x_ptr"], given["w_ptr"], window, shape["g"])}

    return Launch(
        tensors={
            "x_ptr": sample.normal(shape["b"], shape["ci"], *window.size),
            "w_ptr": _weights(sample, shape, window),
            "y_ptr": torch.zeros(shape["b"], shape["co"], *window.out),
        },
        numbers=_sizes(shape, window),
        expected=expected,
        constants={**_constants(window), "G": shape["g"]},
        grid=(window.programs(shape["b"] * shape["co"]),),
    )


def _conv2d_backward_dx(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    blank = torch.zeros(shape["b"], shape["ci"], *window.size, dtype=torch.float64)

    def expected(given: Tensors) -> Tensors:
        found = gradient(lambda x: _conv(x, given["w_ptr"], window))(given["dy_ptr"], blank)
        return {"dx_ptr": torch.as_tensor(found)}

    return Launch(
        tensors={
            "dy_ptr": sample.normal(shape["b"], shape["co"], *window.out),
            "w_ptr": _weights(sample, shape, window),
            "dx_ptr": blank,
        },
        numbers=_sizes(shape, window),
        expected=expected,
        constants=_constants(window, "BLOCK_IW"),
        grid=(window.programs(shape["b"] * shape["ci"], window.size),),
    )


def _conv2d_backward_dw(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    blank = torch.zeros(shape["co"], shape["ci"], *window.kernel, dtype=torch.float64)

    def expected(given: Tensors) -> Tensors:
        found = gradient(lambda w: _conv(given["x_ptr"], w, window))(given["dy_ptr"], blank)
        return {"dw_ptr": torch.as_tensor(found)}

    return Launch(
        tensors={
            "dy_ptr": sample.normal(shape["b"], shape["co"], *window.out),
            "x_ptr": sample.normal(shape["b"], shape["ci"], *window.size),
            "dw_ptr": blank,
        },
        numbers=_sizes(shape, window, b="B"),
        expected=expected,
        constants=_constants(window),
        grid=(blank.numel(),),
    )


def _conv3d(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)

    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": F.conv3d(given["x_ptr"], given["w_ptr"], stride=window.stride)}

    letters = ("D", "H", "W")
    return Launch(
        tensors={
            "x_ptr": sample.normal(shape["b"], shape["ci"], *window.size),
            "w_ptr": _weights(sample, shape, window),
            "y_ptr": torch.zeros(shape["b"], shape["co"], *window.out),
        },
        numbers=_sizes(shape, window),
        expected=expected,
        constants={
            **{f"K{x}": axis.kernel for x, axis in zip(letters, window.axes, strict=True)},
            **{f"STRIDE_{x}": axis.stride for x, axis in zip(letters, window.axes, strict=True)},
            "BLOCK_OW": window.block,
        },
        grid=(window.programs(shape["b"] * shape["co"]),),
    )


def _transposed(sample: Sampler, **shape: int) -> Launch:
    b, ci, co, size, kernel, stride = (shape[x] for x in ("b", "ci", "co", "l", "kl", "sl"))
    out = (size - 1) * stride + kernel - 2 * shape["pl"]

    def expected(given: Tensors) -> Tensors:
        x, w = given["x_ptr"], given["w_ptr"]
        return {"y_ptr": F.conv_transpose1d(x, w, stride=stride, padding=shape["pl"])}

    return Launch(
        tensors={
            "x_ptr": sample.normal(b, ci, size),
            "w_ptr": sample.normal(ci, co, kernel),
            "y_ptr": torch.zeros(b, co, out),
        },
        numbers={"_B": b, "C_IN": ci, "L": size, "C_OUT": co, "OL": out},
        expected=expected,
        constants={"KL": kernel, "STRIDE": stride, "PAD": shape["pl"], "BLOCK_L": shape["block"]},
        grid=(b * ci * ceil_div(size, shape["block"]),),
    )


def _depthwise(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    b, c = shape["b"], shape["c"]
    kh, kw = window.axes

    def expected(given: Tensors) -> Tensors:
        y = F.conv2d(
            given["x_ptr"], given["w_ptr"], given["bias_ptr"], padding=window.padding, groups=c
        )
        return {"y_ptr": y.clamp(min=0)}

    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c, *window.size),
            "w_ptr": sample.normal(c, 1, *window.kernel),
            "bias_ptr": sample.normal(c),
            "y_ptr": torch.zeros(b, c, *window.out),
        },
        numbers={
            "_B": b,
            "C": c,
            "H": kh.size,
            "W": kw.size,
            "OH": kh.out,
            "OW": kw.out,
        },
        expected=expected,
        constants={
            "KH": kh.kernel,
            "KW": kw.kernel,
            "PAD_H": kh.padding,
            "PAD_W": kw.padding,
            "BLOCK_OW": window.block,
        },
        grid=(window.programs(b * c),),
    )


def _pointwise(sample: Sampler, b: int, m: int, n: int, k: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": F.silu(given["w_ptr"] @ given["x_ptr"] + given["bias_ptr"][:, None])}

    return Launch(
        tensors={
            "x_ptr": sample.normal(b, k, n),
            "w_ptr": sample.normal(m, k),
            "bias_ptr": sample.normal(m),
            "y_ptr": torch.zeros(b, m, n),
        },
        numbers={"M": m, "N": n, "K": k},
        expected=expected,
        constants={"BLOCK_M": block, "BLOCK_N": block, "BLOCK_K": block},
        grid=(ceil_div(m, block) * ceil_div(n, block), b),
    )


def _case(
    kernel: str,
    prepare: Prepare,
    shapes: tuple[Mapping[str, int], ...],
    dtypes: tuple[DType | None, ...] = FLOATS,
) -> Case:
    return Case(
        topic="conv",
        kernel=kernel,
        prepare=prepare,
        shapes=shapes,
        dtypes=dtypes,
    )


CASES = [
    _case(
        "conv1d_forward",
        _conv1d,
        (
            extents("b=2 ci=4 co=2 g=2 l=13 kl=3 sl=2 pl=1 block=4"),
            extents("b=1 ci=1 co=1 g=1 l=1 kl=1 block=16"),
        ),
        NUMBERS,
    ),
    _case(
        "conv2d_forward",
        _conv2d,
        (
            {**_IMAGES[0], "g": 1},
            {**_IMAGES[1], "g": 1},
            {**_IMAGES[2], "ci": 4, "co": 2, "g": 2},
        ),
        NUMBERS,
    ),
    _case("conv2d_backward_dx", _conv2d_backward_dx, _IMAGES),
    _case("conv2d_backward_dw", _conv2d_backward_dw, _IMAGES),
    _case(
        "conv3d_forward",
        _conv3d,
        (
            extents("b=1 ci=2 co=2 d=3 h=3 w=7 block=4 kd=2 kh=1 kw=3 sd=1 sh=2 sw=2"),
            extents("b=1 ci=1 co=1 d=1 h=1 w=1 block=8 kd=1 kh=1 kw=1"),
        ),
    ),
    _case(
        "conv_transpose1d_forward",
        _transposed,
        (
            extents("b=2 ci=2 co=3 l=11 kl=3 sl=2 pl=1 block=8"),
            extents("b=1 ci=1 co=1 l=1 kl=1 sl=1 pl=0 block=16"),
        ),
        WIDE,
    ),
    _case(
        "depthwise_conv2d_relu",
        _depthwise,
        (
            extents("b=2 c=2 h=3 w=5 block=4 kh=3 kw=2 ph=1 pw=1"),
            extents("b=1 c=1 h=1 w=1 block=16 kh=1 kw=1"),
        ),
    ),
    _case(
        "conv1x1_bias_silu",
        _pointwise,
        (
            extents("b=2 m=5 n=21 k=19 block=16"),
            extents("b=1 m=1 n=1 k=1 block=16"),
        ),
        WIDE,
    ),
]

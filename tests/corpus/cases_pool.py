"""Pooling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.builders import gradient
from tests.corpus.model import FLOATS, NUMBERS, WIDE, Case, Launch
from tests.corpus.windows import Window, extents
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.corpus.model import Prepare, Sampler, Tensors

_LINES = (
    extents("b=2 c=3 l=21 kl=3 sl=2 pl=1 block=8"),
    extents("b=1 c=1 l=1 kl=1 sl=1 pl=0 block=16"),
    extents("b=1 c=2 l=5 kl=4 sl=1 pl=2 block=4"),
)
_IMAGES = (
    extents("b=2 c=2 h=4 w=6 block=4 kh=3 kw=2 sh=2 sw=1 ph=1 pw=1"),
    extents("b=1 c=1 h=1 w=1 block=16 kh=1 kw=1"),
    extents("b=1 c=2 h=4 w=7 block=4 kh=2 kw=3 sh=1 sw=3 ph=1 pw=0"),
)
_VOLUMES = (
    extents("b=1 c=2 d=3 h=3 w=7 block=4 kd=2 kh=1 kw=3 sd=1 sh=2 sw=1"),
    extents("b=1 c=1 d=1 h=1 w=1 block=8 kd=1 kh=1 kw=1"),
)
_NAMES = {1: ("L",), 2: ("H", "W"), 3: ("Dv", "H", "W")}


def _sizes(window: Window, shape: Mapping[str, int], channels: str = "C") -> dict[str, int]:
    names = _NAMES[len(window.axes)]
    out = tuple("O" + name[0] for name in names)
    return {
        "_B": shape["b"],
        channels: shape["c"],
        **dict(zip(names, window.size, strict=True)),
        **dict(zip(out, window.out, strict=True)),
    }


def _constants(window: Window, *, padded: bool) -> dict[str, int]:
    if len(window.axes) == 1:
        (axis,) = window.axes
        sizes = {"KL": axis.kernel, "STRIDE": axis.stride, "PAD": axis.padding}
        return {**sizes, "BLOCK_OL": window.block}
    letters = "DHW"[-len(window.axes) :]
    found = {f"K{x}": axis.kernel for x, axis in zip(letters, window.axes, strict=True)}
    found |= {f"STRIDE_{x}": axis.stride for x, axis in zip(letters, window.axes, strict=True)}
    if padded:
        found |= {f"PAD_{x}": axis.padding for x, axis in zip(letters, window.axes, strict=True)}
    return {**found, "BLOCK_OW": window.block}


def _largest(x: torch.Tensor, window: Window) -> torch.Tensor:
    """By padding with minus infinity, since torch limits the padding to half the window."""
    pads = [each for axis in reversed(window.axes) for each in (axis.padding, axis.padding)]
    padded = F.pad(x, pads, value=-torch.inf)
    if len(window.axes) == 1:
        return F.max_pool1d(padded, window.kernel, window.stride)
    return F.max_pool2d(padded, window.kernel, window.stride)


def _mean(x: torch.Tensor, window: Window) -> torch.Tensor:
    """With the padding's zeros among the numbers; integers divide as Rust does."""
    pads = [each for axis in reversed(window.axes) for each in (axis.padding, axis.padding)]
    padded = F.pad(x, pads)
    for place, axis in enumerate(window.axes, start=2):
        padded = padded.unfold(place, axis.kernel, axis.stride)
    total = padded.flatten(2 + len(window.axes)).sum(-1)
    count = padded.flatten(2 + len(window.axes)).shape[-1]
    if x.is_floating_point():
        return total / count
    return torch.div(total, count, rounding_mode="trunc")


def _forward(kind: str, *, padded: bool = True) -> Prepare:
    def prepare(sample: Sampler, **shape: int) -> Launch:
        window = Window.of(shape)
        b, c = shape["b"], shape["c"]

        def expected(given: Tensors) -> Tensors:
            pool = _largest if kind == "max" else _mean
            return {"y_ptr": pool(given["x_ptr"], window)}

        return Launch(
            tensors={
                "x_ptr": sample.normal(b, c, *window.size),
                "y_ptr": torch.zeros(b, c, *window.out),
            },
            numbers=_sizes(window, shape),
            expected=expected,
            constants=_constants(window, padded=padded),
            grid=(window.programs(b * c),),
        )

    return prepare


def _maxpool_backward(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    x = sample.normal(shape["b"], shape["c"], *window.size)
    y = _largest(x, window)

    def expected(given: Tensors) -> Tensors:
        found = gradient(lambda each: _largest(each, window))(given["dy_ptr"], given["x_ptr"])
        return {"dx_ptr": torch.as_tensor(found)}

    return Launch(
        tensors={
            "dy_ptr": sample.normal(*y.shape),
            "x_ptr": x,
            "y_ptr": y,
            "dx_ptr": torch.zeros(x.shape),
        },
        numbers=_sizes(window, shape),
        expected=expected,
        constants=_constants(window, padded=True),
        grid=(window.programs(shape["b"] * shape["c"]),),
    )


def _avgpool_backward(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    blank = torch.zeros(shape["b"], shape["c"], *window.size, dtype=torch.float64)

    def expected(given: Tensors) -> Tensors:
        found = gradient(lambda x: _mean(x, window))(given["dy_ptr"], blank)
        return {"dx_ptr": torch.as_tensor(found)}

    return Launch(
        tensors={
            "dy_ptr": sample.normal(shape["b"], shape["c"], *window.out),
            "dx_ptr": blank,
        },
        numbers=_sizes(window, shape, "_C"),
        expected=expected,
        constants=_constants(window, padded=True),
        grid=(window.programs(shape["b"] * shape["c"]),),
    )


def _global(sample: Sampler, bc: int, hw: int, block: int) -> Launch:
    return Launch(
        tensors={"x_ptr": sample.normal(bc, hw), "y_ptr": torch.zeros(bc)},
        numbers={"_BC": bc, "HW": hw},
        expected=lambda given: {"y_ptr": given["x_ptr"].mean(1)},
        constants={"BLOCK_HW": block},
        grid=(bc,),
    )


def _adaptive_line(sample: Sampler, b: int, c: int, length: int, ol: int) -> Launch:
    return Launch(
        tensors={"x_ptr": sample.normal(b, c, length), "y_ptr": torch.zeros(b, c, ol)},
        numbers={"_B": b, "_C": c, "L": length, "OL": ol},
        expected=lambda given: {"y_ptr": F.adaptive_avg_pool1d(given["x_ptr"], ol)},
        constants={"BLOCK_L": 16},
        grid=(b * c * ol,),
    )


def _adaptive_image(sample: Sampler, b: int, c: int, h: int, w: int, oh: int, ow: int) -> Launch:
    return Launch(
        tensors={"x_ptr": sample.normal(b, c, h, w), "y_ptr": torch.zeros(b, c, oh, ow)},
        numbers={"_B": b, "_C": c, "H": h, "W": w, "OH": oh, "OW": ow},
        expected=lambda given: {"y_ptr": F.adaptive_max_pool2d(given["x_ptr"], (oh, ow))},
        constants={"BLOCK_NL": 8},
        grid=(b * c * oh * ow,),
    )


def _lp(sample: Sampler, **shape: int) -> Launch:
    window = Window.of(shape)
    b, c = shape["b"], shape["c"]
    (axis,) = window.axes

    def expected(given: Tensors) -> Tensors:
        powers = given["x_ptr"].unfold(2, axis.kernel, axis.stride) ** 3
        return {"y_ptr": powers.sum(-1) ** (1 / 3)}

    return Launch(
        tensors={
            "x_ptr": sample.uniform(0.5, 2.0, b, c, axis.size),
            "y_ptr": torch.zeros(b, c, axis.out),
        },
        numbers={"_B": b, "_C": c, "L": axis.size, "OL": axis.out, "p": 3.0},
        expected=expected,
        constants={"KL": axis.kernel, "STRIDE": axis.stride, "BLOCK_OL": window.block},
        grid=(window.programs(b * c),),
    )


def _case(
    kernel: str,
    prepare: Prepare,
    shapes: tuple[Mapping[str, int], ...],
    dtypes: tuple[DType | None, ...] = FLOATS,
    tolerance: str = "sum",
) -> Case:
    return Case(
        topic="pool",
        kernel=kernel,
        prepare=prepare,
        shapes=shapes,
        dtypes=dtypes,
        tolerance=tolerance,
    )


# The count's reciprocal is rounded to f32 whatever D is.
_NARROW = (DType.F32, DType.F16, DType.BF16)

CASES = [
    _case("maxpool1d_forward", _forward("max"), _LINES, tolerance="exact"),
    _case("maxpool2d_forward", _forward("max"), _IMAGES, tolerance="exact"),
    _case("maxpool2d_backward", _maxpool_backward, _IMAGES, WIDE),
    _case("avgpool1d_forward", _forward("mean"), _LINES, NUMBERS),
    _case("avgpool2d_forward", _forward("mean"), _IMAGES, NUMBERS),
    _case("avgpool2d_backward", _avgpool_backward, _IMAGES, (DType.F32,)),
    _case("avgpool3d_forward", _forward("mean", padded=False), _VOLUMES, NUMBERS),
    _case(
        "global_avgpool_forward",
        _global,
        ({"bc": 3, "hw": 37, "block": 16}, {"bc": 1, "hw": 1, "block": 16}),
        _NARROW,
    ),
    _case(
        "adaptive_avgpool1d_forward",
        _adaptive_line,
        ({"b": 2, "c": 3, "length": 21, "ol": 4}, {"b": 1, "c": 1, "length": 1, "ol": 1}),
        _NARROW,
    ),
    _case(
        "adaptive_maxpool2d_forward",
        _adaptive_image,
        (
            {"b": 2, "c": 2, "h": 7, "w": 11, "oh": 3, "ow": 2},
            {"b": 1, "c": 1, "h": 1, "w": 1, "oh": 1, "ow": 1},
        ),
        tolerance="exact",
    ),
    _case(
        "lp_pool1d_forward",
        _lp,
        ({**_LINES[0], "pl": 0}, _LINES[1]),
    ),
]

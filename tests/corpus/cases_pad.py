"""Padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.builders import ceil_div, gradient
from tests.corpus.model import FLOATS, WIDE, Case, Launch
from tests.corpus.windows import extents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.corpus.model import Prepare, Sampler, Tensors
    from transpiler.ir.types import DType

_LINES = (
    extents("b=2 c=3 l=21 left=3 right=2 block=16"),
    extents("b=1 c=1 l=2 left=1 right=0 block=16"),
    extents("b=1 c=2 l=5 left=0 right=4 block=4"),
)
_IMAGES = (
    extents("b=2 c=2 h=4 w=9 t=1 bottom=2 left=3 right=2 block=8"),
    extents("b=1 c=1 h=2 w=2 t=1 bottom=1 left=0 right=1 block=16"),
    extents("b=1 c=2 h=3 w=5 t=0 bottom=0 left=2 right=1 block=4"),
)


def _line(
    pad: Callable[[torch.Tensor, tuple[int, ...]], torch.Tensor],
    *,
    backward: bool = False,
    batch: tuple[str, str] = ("_B", "C"),
    **numbers: float,
) -> Prepare:
    """A kernel over `[B, C, L]`."""

    def prepare(sample: Sampler, **shape: int) -> Launch:
        b, c, length, block = (shape[name] for name in ("b", "c", "l", "block"))
        left, right = shape["left"], shape["right"]
        ol = length + left + right

        def forward(x: torch.Tensor) -> torch.Tensor:
            return pad(x, (left, right))

        blank = torch.zeros(b, c, length)
        names = ("dy_ptr", "dx_ptr") if backward else ("x_ptr", "y_ptr")
        source = sample.normal(b, c, ol if backward else length)
        result = blank if backward else torch.zeros(b, c, ol)
        # One backward kernel has a program for each piece of the input.
        pieces = ceil_div(max(length, ol), block)

        def expected(given: Tensors) -> Tensors:
            if backward:
                found = gradient(forward)(given["dy_ptr"], blank.double())
                return {"dx_ptr": torch.as_tensor(found)}
            return {"y_ptr": forward(given["x_ptr"])}

        return Launch(
            tensors=dict(zip(names, (source, result), strict=True)),
            numbers={batch[0]: b, batch[1]: c, "L": length, "OL": ol, **numbers},
            expected=expected,
            constants={"PAD_LEFT": left, "PAD_RIGHT": right, "BLOCK_OL": block},
            grid=(b * c * (ceil_div(length, block) if batch[1] == "_C" else pieces),),
        )

    return prepare


def _image(
    pad: Callable[[torch.Tensor, tuple[int, ...]], torch.Tensor],
    *,
    backward: bool = False,
    batch: tuple[str, str] = ("_B", "C"),
    **numbers: float,
) -> Prepare:
    """A kernel over `[B, C, H, W]`."""

    def prepare(sample: Sampler, **shape: int) -> Launch:
        b, c, h, w = (shape[name] for name in ("b", "c", "h", "w"))
        top, bottom, left, right = (shape[name] for name in ("t", "bottom", "left", "right"))
        oh, ow = h + top + bottom, w + left + right

        def forward(x: torch.Tensor) -> torch.Tensor:
            return pad(x, (left, right, top, bottom))

        def expected(given: Tensors) -> Tensors:
            if backward:
                blank = torch.zeros(b, c, h, w, dtype=torch.float64)
                found = gradient(forward)(given["dy_ptr"], blank)
                return {"dx_ptr": torch.as_tensor(found)}
            return {"y_ptr": forward(given["x_ptr"])}

        tensors = (
            {"dy_ptr": sample.normal(b, c, oh, ow), "dx_ptr": torch.zeros(b, c, h, w)}
            if backward
            else {"x_ptr": sample.normal(b, c, h, w), "y_ptr": torch.zeros(b, c, oh, ow)}
        )
        sizes = {batch[0]: b, batch[1]: c, "H": h, "W": w, "OH": oh, "OW": ow}
        pads = {"PT": top, "PB": bottom, "PL": left, "PR": right}
        return Launch(
            tensors=tensors,
            numbers={**sizes, **numbers},
            expected=expected,
            constants={**pads, "BLOCK_OW": shape["block"]},
            grid=(b * c * oh * ceil_div(ow, shape["block"]),),
        )

    return prepare


def _volume(sample: Sampler, **shape: int) -> Launch:
    b, c, d, h, w = (shape[name] for name in ("b", "c", "d", "h", "w"))
    pads = tuple(shape[name] for name in ("pw1", "pw2", "ph1", "ph2", "pd1", "pd2"))
    od, oh, ow = d + sum(pads[4:]), h + sum(pads[2:4]), w + sum(pads[:2])

    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": F.pad(given["x_ptr"], pads, mode="replicate")}

    return Launch(
        tensors={"x_ptr": sample.normal(b, c, d, h, w), "y_ptr": torch.zeros(b, c, od, oh, ow)},
        numbers={"_B": b, "C": c, "Dv": d, "H": h, "W": w, "OD": od, "OH": oh, "OW": ow},
        expected=expected,
        constants={
            **{name.upper(): shape[name] for name in ("pd1", "pd2", "ph1", "ph2", "pw1", "pw2")},
            "BLOCK_OW": shape["block"],
        },
        grid=(b * c * od * oh * ceil_div(ow, shape["block"]),),
    )


def _by(
    mode: str, value: float | None = None
) -> Callable[[torch.Tensor, tuple[int, ...]], torch.Tensor]:
    return lambda x, pads: F.pad(x, pads, mode=mode, value=value)


def _case(
    kernel: str,
    prepare: Prepare,
    shapes: tuple[Mapping[str, int], ...],
    dtypes: tuple[DType | None, ...] = FLOATS,
    tolerance: str = "exact",
) -> Case:
    return Case(
        topic="pad",
        kernel=kernel,
        prepare=prepare,
        shapes=shapes,
        dtypes=dtypes,
        tolerance=tolerance,
    )


CASES = [
    _case("constant_pad1d_forward", _line(_by("constant", 2.5), value=2.5), _LINES),
    _case(
        "constant_pad1d_backward",
        _line(_by("constant", 0.0), backward=True, batch=("_B", "_C")),
        _LINES,
    ),
    _case("constant_pad2d_forward", _image(_by("constant", 2.5), value=2.5), _IMAGES),
    _case("constant_pad2d_backward", _image(_by("constant", 0.0), backward=True), _IMAGES),
    _case("reflection_pad1d_forward", _line(_by("reflect")), _LINES),
    # Atomic sums are rounded once a term in half precision.
    _case("reflection_pad1d_backward", _line(_by("reflect"), backward=True), _LINES, WIDE, "sum"),
    _case("reflection_pad2d_forward", _image(_by("reflect")), _IMAGES[:2]),
    _case("replication_pad2d_forward", _image(_by("replicate")), _IMAGES),
    _case(
        "replication_pad3d_forward",
        _volume,
        (
            extents("b=2 c=2 d=2 h=3 w=9 block=8 pd1=1 pd2=0 ph1=2 ph2=1 pw1=3 pw2=2"),
            extents("b=1 c=1 d=1 h=1 w=1 block=4 pd1=0 pd2=2 ph1=1 ph2=0 pw1=1 pw2=1"),
        ),
    ),
    _case("circular_pad2d_forward", _image(_by("circular")), _IMAGES),
    _case("circular_pad2d_backward", _image(_by("circular"), backward=True), _IMAGES, WIDE, "sum"),
    _case("zero_pad2d_forward", _image(_by("constant", 0.0), batch=("_B", "_C")), _IMAGES),
]

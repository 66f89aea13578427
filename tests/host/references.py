"""What the operators of `cases/` compute, in torch: shapes, arguments of `new`, results, and which gradients exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor

Shape: TypeAlias = tuple[int, ...]
Argument: TypeAlias = int | float | bool | None

EPS = 2.0**-10
"""A term that f32 holds exactly: kernels take theirs in f32, whatever they compute in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One operator on tensors of some shapes.

    Attributes:
        file: the stem of its file in `cases/`.
        struct: the struct that it is implemented on.
        arguments: what its `new` takes.
        inputs: the shapes of what it takes from the graph.
        params: the shapes of its parameters.
        output: the shape of its output.
        forward: its output, of the inputs and the parameters.
        gradients: places among the inputs and parameters of what has a gradient.
        indices: places of inputs that are i32, each with the number that they stay below.
        derived: places of inputs that come of all others, each with what makes it.
        updates: what it leaves in each of its parameters, of the inputs and the parameters, where it changes them.
        output_dtype: the dtype of its output, where that is not its inputs'.
    """

    file: str
    struct: str
    arguments: tuple[Argument, ...]
    inputs: tuple[Shape, ...]
    params: tuple[Shape, ...] = ()
    output: Shape
    forward: Callable[..., Tensor]
    gradients: tuple[int, ...] = ()
    indices: Mapping[int, int] | None = None
    derived: Mapping[int, Callable[..., Tensor]] | None = None
    updates: Callable[..., tuple[Tensor, ...]] | None = None
    output_dtype: torch.dtype | None = None

    @property
    def name(self) -> str:
        """What tests call it by."""
        shapes = "_".join("x".join(map(str, shape)) for shape in self.inputs)
        return f"{self.struct}-{shapes}-{'-'.join(map(str, self.arguments))}"

    def tensors(self, dtype: torch.dtype) -> list[Tensor]:
        """The inputs and then the parameters, the same at each call."""
        source = torch.Generator().manual_seed(len(self.name))
        indices = self.indices or {}
        tensors = [
            torch.randint(indices[place], shape, generator=source, dtype=torch.int32)
            if place in indices
            else torch.randn(shape, generator=source, dtype=torch.float64).to(dtype)
            for place, shape in enumerate((*self.inputs, *self.params))
        ]
        for place, make in (self.derived or {}).items():
            tensors[place] = make(*tensors)
        return tensors


def _pointwise(
    file: str,
    struct: str,
    arguments: tuple[Argument, ...],
    forward: Callable[..., Tensor],
    *,
    inputs: int = 1,
    gradients: tuple[int, ...] = (),
) -> list[Case]:
    """A case of a few shapes for what keeps its shape."""
    return [
        Case(
            file=file,
            struct=struct,
            arguments=arguments,
            inputs=(shape,) * inputs,
            output=shape,
            forward=forward,
            gradients=gradients,
        )
        for shape in ((1,), (37,), (3, 50), (2, 3, 5, 7))
    ]


def _linear() -> list[Case]:
    return [
        Case(
            file="linear",
            struct="LinearRuntimeOp",
            arguments=(use_bias, 16, 16, 16),
            inputs=((m, k),),
            params=((n, k), (n,)) if use_bias else ((n, k),),
            output=(m, n),
            forward=functional.linear,
            gradients=(0, 1, 2) if use_bias else (0, 1),
        )
        for use_bias in (True, False)
        for m, n, k in ((5, 7, 9), (1, 1, 1), (17, 20, 33))
    ]


def _channel_cat() -> list[Case]:
    return [
        Case(
            file="channel_cat",
            struct="ChannelCatRuntimeOp",
            arguments=(len(channels), 32),
            inputs=tuple((b, c, h, w) for c in channels),
            output=(b, sum(channels), h, w),
            forward=lambda *tensors: torch.cat(tensors, 1),
            gradients=tuple(range(len(channels))),
        )
        for channels, b, h, w in (((3, 1, 5), 2, 3, 7), ((4,), 1, 2, 2), ((2, 2), 3, 5, 1))
    ]


def _layer_norm() -> list[Case]:
    return [
        Case(
            file="layer_norm",
            struct="LayerNormRuntimeOp",
            arguments=(64, EPS),
            inputs=(shape,),
            params=(shape[-1:], shape[-1:]),
            output=shape,
            forward=lambda x, w, b: functional.layer_norm(x, w.shape, w, b, EPS),
            gradients=(0, 1, 2),
        )
        for shape in ((3, 17), (2, 3, 64), (1, 1), (5, 2, 33))
    ]


def _conv2d() -> list[Case]:
    return [
        Case(
            file="conv2d",
            struct="Conv2dForward",
            arguments=(kh, kw, stride, pad, 8),
            inputs=((b, c_in, h, w),),
            params=((c_out, c_in, kh, kw),),
            output=(
                b,
                c_out,
                (h + 2 * pad - kh) // stride + 1,
                (w + 2 * pad - kw) // stride + 1,
            ),
            forward=lambda x, w, stride=stride, pad=pad: functional.conv2d(x, w, None, stride, pad),
            gradients=(0, 1),
        )
        for kh, kw, stride, pad, b, c_in, c_out, h, w in (
            (3, 3, 1, 1, 2, 3, 2, 5, 9),
            (2, 3, 2, 0, 1, 1, 3, 7, 8),
            (1, 1, 1, 0, 1, 2, 1, 1, 1),
        )
    ]


def _matmul() -> list[Case]:
    return [
        Case(
            file="matmul",
            struct="MatmulRuntimeOp",
            arguments=(16, 16, 16),
            inputs=((m, k), (k, n)),
            output=(m, n),
            forward=torch.matmul,
            gradients=(0,),
        )
        # Descriptors take rows of whole 16 bytes.
        for m, n, k in ((5, 8, 4), (16, 16, 16), (81, 36, 20))
    ]


def _max_pool() -> list[Case]:
    cases = []
    for k, stride, shape in ((2, 2, (2, 3, 5, 7)), (3, 1, (1, 2, 4, 12)), (3, 2, (1, 1, 3, 3))):
        output = (*shape[:2], *((extent - k) // stride + 1 for extent in shape[2:]))
        cases += [
            Case(
                file="max_pool",
                struct="MaxPool2dForward",
                arguments=(k, stride, 8),
                inputs=(shape,),
                output=output,
                forward=lambda x, k=k, stride=stride: functional.max_pool2d(x, k, stride),
                gradients=(0,),
            ),
            Case(
                file="max_pool",
                struct="MaxPool2dIndex",
                arguments=(k, stride, 8),
                inputs=(shape,),
                output=output,
                forward=lambda x, k=k, stride=stride: functional.max_pool2d(
                    x, k, stride, return_indices=True
                )[1].to(torch.int32),
                output_dtype=torch.int32,
            ),
        ]
    return cases


def _moments(x: Tensor, *_: Tensor) -> Tensor:
    """The means of the channels, and then their reciprocal deviations."""
    variance, mean = torch.var_mean(x, (0, 2), correction=0)
    return torch.cat((mean, (variance + EPS).rsqrt()))


def _moved(x: Tensor, running_mean: Tensor, running_var: Tensor) -> tuple[Tensor, ...]:
    variance, mean = torch.var_mean(x, (0, 2), correction=0)
    return running_mean.lerp(mean, 0.25), running_var.lerp(variance, 0.25)


def _standardised(x: Tensor, _: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Of `x` as a whole: the gradient counts what `x` does to the statistics."""
    mean, scale = _moments(x).view(2, 1, -1, 1).unbind()
    return (x - mean) * scale * w[:, None] + b[:, None]


def _packed_statistics() -> list[Case]:
    cases = []
    for b, c, length in ((2, 3, 50), (1, 1, 7), (4, 5, 1)):
        cases += [
            Case(
                file="packed_statistics",
                struct="ChannelMomentsRuntimeOp",
                arguments=(32, EPS, 0.25),
                inputs=((b, c, length),),
                params=((c,), (c,)),
                output=(2 * c,),
                forward=_moments,
                updates=_moved,
            ),
            Case(
                file="packed_statistics",
                struct="ChannelStandardiseRuntimeOp",
                arguments=(32,),
                inputs=((b, c, length), (2 * c,)),
                params=((c,), (c,)),
                output=(b, c, length),
                forward=_standardised,
                gradients=(0, 2, 3),
                derived={1: _moments},
            ),
        ]
    return cases


def _scatter() -> list[Case]:
    rows = [
        Case(
            file="scatter",
            struct="ScatterRows",
            arguments=(16,),
            inputs=((n, width), (n,)),
            output=(m, width),
            forward=lambda x, index, m=m: x.new_zeros(m, x.shape[1]).index_add(0, index.long(), x),
            gradients=(0,),
            indices={1: m},
        )
        for n, m, width in ((7, 3, 5), (1, 4, 17), (20, 1, 16))
    ]
    counts = [
        Case(
            file="scatter",
            struct="CountValues",
            arguments=(16,),
            inputs=((n,),),
            output=(m,),
            forward=lambda value, m=m: torch.bincount(value, minlength=m)[:m].to(torch.int32),
            indices={0: m + 3},
            output_dtype=torch.int32,
        )
        for n, m in ((100, 7), (1, 1), (33, 2))
    ]
    return rows + counts


def _scans() -> list[Case]:
    return [
        Case(
            file="scans",
            struct=struct,
            arguments=(64,),
            inputs=(shape,),
            output=shape,
            forward=forward,
            gradients=gradients,
        )
        for struct, forward, gradients in (
            ("RunningSum", lambda x: x.cumsum(-1), (0,)),
            ("RunningProduct", lambda x: x.cumprod(-1), ()),
            ("RunningMax", lambda x: x.cummax(-1).values, ()),
        )
        for shape in ((17,), (3, 64), (2, 3, 1), (5, 33))
    ]


def _free_form() -> list[Case]:
    affine = [
        Case(
            file="free_form",
            struct="ExpandAffineRuntimeOp",
            arguments=(16, scale, shift),
            inputs=(shape,),
            output=wanted,
            forward=lambda x, wanted=wanted, scale=scale, shift=shift: (
                x.expand(wanted) * (1.5 if scale is None else scale) + (shift or 0.0)
            ),
        )
        for shape, wanted, scale, shift in (
            ((3, 1, 5), (3, 4, 5), None, 0.25),
            ((1,), (33,), -2.0, None),
            ((2, 3, 1, 5), (2, 3, 7, 5), 0.5, -1.0),
        )
    ]
    rows = [
        Case(
            file="free_form",
            struct="WeightedRowsRuntimeOp",
            arguments=(block, 0.5, 0.25),
            inputs=((rows, width),),
            output=(groups, width),
            forward=lambda x, groups=groups: (
                x.view(groups, -1, x.shape[1])
                * (
                    0.5
                    + 0.25
                    * torch.arange(x.shape[0] // groups, dtype=x.dtype, device=x.device)[:, None]
                )
            ).sum(1),
            gradients=(0,),
        )
        for block, rows, groups, width in ((4, 6, 2, 19), (32, 3, 3, 7), (16, 5, 1, 16))
    ]
    return affine + rows


def _reductions() -> list[Case]:
    return [
        Case(
            file="row_reductions",
            struct=struct,
            arguments=(16,),
            inputs=(shape,),
            output=shape[:-1],
            forward=forward,
        )
        for struct, forward in (
            ("RowSum", lambda x: x.sum(-1)),
            ("RowNorm", lambda x: x.norm(dim=-1)),
        )
        for shape in ((5, 33), (2, 3, 7), (17,), (4, 1))
    ]


def _similar_names() -> list[Case]:
    return [
        Case(
            file="similar_names",
            struct=struct,
            arguments=(16,),
            inputs=(shape,),
            output=shape,
            forward=forward,
            gradients=(0,),
            derived={0: lambda x, positive=positive: x.abs() + 0.5 if positive else x},
        )
        for struct, forward, positive in (
            ("Log", torch.log, True),
            ("LogTripled", lambda x: 3 * x.log(), True),
            ("Abs", torch.abs, False),
            ("LogRuntimeOp", torch.log, True),
            ("MaxRuntimeOp", lambda x: 2 * x.log(), True),
        )
        for shape in ((37,), (2, 3, 5))
    ]


def _embedding() -> list[Case]:
    return [
        Case(
            file="embedding",
            struct="EmbeddingRuntimeOp",
            arguments=(count, 16),
            inputs=(shape,),
            params=((count, width),),
            output=(*shape, width),
            forward=lambda index, weight: functional.embedding(index.long(), weight),
            gradients=(1,),
            indices={0: count},
        )
        for count, width, shape in ((11, 19, (2, 5)), (1, 1, (3,)), (7, 33, (4, 1)))
    ]


CASES = [
    *_pointwise("unary_macros", "SoftSign", (16,), functional.softsign, gradients=(0,)),
    *_pointwise("unary_macros", "Square", (16,), torch.square),
    *_pointwise("unary_macros", "PowerOfTwo", (16,), torch.exp2),
    *_pointwise("binary", "Product", (16,), torch.mul, inputs=2, gradients=(0, 1)),
    *_pointwise(
        "clip",
        "ClipRuntimeOp",
        (16, -0.5, 0.75),
        lambda x: x.clamp(-0.5, 0.75),
        gradients=(0,),
    ),
    *_reductions(),
    *_linear(),
    *_channel_cat(),
    *_layer_norm(),
    *_conv2d(),
    *_matmul(),
    *_max_pool(),
    *_packed_statistics(),
    *_scatter(),
    *_scans(),
    *_free_form(),
    *_similar_names(),
    *_embedding(),
]
"""Operators on shapes of which several are odd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A forward kernel and the kernel that its attribute names, in `cases/pairs.rs`.

    Attributes:
        forward: the struct of the forward kernel.
        backward: the struct of the other.
        scalars: the last run-time arguments of both.
        reference: what the forward kernel computes.
        saves_output: whether the backward kernel takes the output, and not the input.
    """

    forward: str
    backward: str
    scalars: tuple[float, ...] = ()
    reference: Callable[[Tensor], Tensor]
    saves_output: bool = False


PAIRS = [
    Pair(forward="SwishForward", backward="SwishBackward", reference=functional.silu),
    Pair(
        forward="LogisticForward",
        backward="LogisticBackward",
        reference=torch.sigmoid,
        saves_output=True,
    ),
    Pair(
        forward="LeakyForward",
        backward="LeakyBackward",
        scalars=(0.25,),
        reference=lambda x: functional.leaky_relu(x, 0.25),
    ),
]

STUBS: dict[str, Callable[[Tensor], Tensor]] = {
    "Cube": lambda x: x**3,
    "Doubled": lambda x: x + x,
    "Halved": lambda x: x / 2,
}
"""Kernels of `cases/stubs.rs`, which have launchers and no operators."""

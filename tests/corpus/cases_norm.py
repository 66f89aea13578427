"""Normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.model import FLOATS, WIDE, Case, Launch
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from tests.corpus.model import Prepare, Sampler, Tensors

_EPS = 2.0**-10
# The count's reciprocal is rounded to f32 whatever D is.
_NARROW = (DType.F32, DType.F16, DType.BF16)
_MATRIX = (
    {"m": 3, "n": 21, "block": 16},
    {"m": 1, "n": 1, "block": 16},
    {"m": 2, "n": 5, "block": 64},
)
_IMAGES = (
    {"b": 2, "c": 3, "hw": 21, "block": 32},
    {"b": 1, "c": 1, "hw": 1, "block": 16},
    {"b": 3, "c": 1, "hw": 16, "block": 16},
)


def _moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.mean(1), torch.rsqrt(x.var(1, correction=0) + _EPS)


def _layer_norm(sample: Sampler, m: int, n: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        mean, rstd = _moments(given["x_ptr"])
        y = F.layer_norm(given["x_ptr"], [n], given["weight_ptr"], given["bias_ptr"], _EPS)
        return {"y_ptr": y, "mean_ptr": mean, "rstd_ptr": rstd}

    return Launch(
        tensors={
            "x_ptr": sample.normal(m, n),
            "y_ptr": torch.zeros(m, n),
            "weight_ptr": sample.normal(n),
            "bias_ptr": sample.normal(n),
            "mean_ptr": torch.zeros(m),
            "rstd_ptr": torch.zeros(m),
        },
        numbers={"_M": m, "N": n, "eps": _EPS},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(m,),
    )


def _layer_norm_backward(sample: Sampler, m: int, n: int, block: int) -> Launch:
    x = sample.normal(m, n)
    mean, rstd = _moments(x)

    def expected(given: Tensors) -> Tensors:
        xhat = (given["x_ptr"] - given["mean_ptr"][:, None]) * given["rstd_ptr"][:, None]
        g = given["dy_ptr"] * given["weight_ptr"]
        centred = g - g.mean(1, keepdim=True) - xhat * (g * xhat).mean(1, keepdim=True)
        return {
            "dx_ptr": given["rstd_ptr"][:, None] * centred,
            "dweight_ptr": (given["dy_ptr"] * xhat).sum(0),
            "dbias_ptr": given["dy_ptr"].sum(0),
        }

    return Launch(
        tensors={
            "dy_ptr": sample.normal(m, n),
            "x_ptr": x,
            "weight_ptr": sample.normal(n),
            "mean_ptr": mean,
            "rstd_ptr": rstd,
            "dx_ptr": torch.zeros(m, n),
            "dweight_ptr": torch.zeros(n),
            "dbias_ptr": torch.zeros(n),
        },
        numbers={"_M": m, "N": n},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(m,),
    )


def _rms_norm(sample: Sampler, m: int, n: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        rstd = torch.rsqrt((given["x_ptr"] ** 2).mean(1) + _EPS)
        return {"y_ptr": given["x_ptr"] * rstd[:, None] * given["weight_ptr"], "rstd_ptr": rstd}

    return Launch(
        tensors={
            "x_ptr": sample.normal(m, n),
            "weight_ptr": sample.normal(n),
            "y_ptr": torch.zeros(m, n),
            "rstd_ptr": torch.zeros(m),
        },
        numbers={"_n_rows": m, "N": n, "eps": _EPS},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(m,),
    )


def _group_norm(sample: Sampler, b: int, c: int, hw: int, g: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        mean, rstd = _moments(given["x_ptr"].view(b * g, -1))
        normal = (given["x_ptr"].view(b * g, -1) - mean[:, None]) * rstd[:, None]
        weight, bias = given["weight_ptr"][:, None], given["bias_ptr"][:, None]
        return {"y_ptr": normal.view(b, c, hw) * weight + bias}

    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c, hw),
            "y_ptr": torch.zeros(b, c, hw),
            "weight_ptr": sample.normal(c),
            "bias_ptr": sample.normal(c),
        },
        numbers={"_B": b, "C": c, "HW": hw, "G": g, "eps": _EPS},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(b * g,),
    )


def _instance_norm(sample: Sampler, b: int, c: int, hw: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        x = given["x_ptr"]
        centred = x - x.mean(2, keepdim=True)
        return {"y_ptr": centred * torch.rsqrt((centred**2).mean(2, keepdim=True) + _EPS)}

    return Launch(
        tensors={"x_ptr": sample.normal(b, c, hw), "y_ptr": torch.zeros(b, c, hw)},
        numbers={"_B": b, "_C": c, "HW": hw, "eps": _EPS},
        expected=expected,
        constants={"BLOCK_HW": block},
        grid=(b * c,),
    )


def _batch_norm_stats(sample: Sampler, m: int, n: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        mean = given["x_ptr"].mean(0)
        return {
            "mean_ptr": mean,
            "var_ptr": given["x_ptr"].var(0, correction=0),
            "running_mean_ptr": 0.875 * given["running_mean_ptr"] + 0.125 * mean,
        }

    return Launch(
        tensors={
            "x_ptr": sample.normal(m, n),
            "mean_ptr": torch.zeros(n),
            "var_ptr": torch.zeros(n),
            "running_mean_ptr": sample.normal(n),
        },
        numbers={"N": m, "C": n, "momentum": 0.125},
        expected=expected,
        constants={"BLOCK_N": block},
        grid=(n,),
    )


def _batch_norm_nchw(sample: Sampler, b: int, c: int, hw: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        def across(name: str) -> torch.Tensor:
            return given[name][:, None]

        scale = across("weight_ptr") * across("rstd_ptr")
        return {"y_ptr": (given["x_ptr"] - across("mean_ptr")) * scale + across("bias_ptr")}

    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c, hw),
            "y_ptr": torch.zeros(b, c, hw),
            "weight_ptr": sample.normal(c),
            "bias_ptr": sample.normal(c),
            "mean_ptr": sample.normal(c),
            "rstd_ptr": sample.uniform(0.5, 2.0, c),
        },
        numbers={"C": c, "HW": hw},
        expected=expected,
        constants={"BLOCK_HW": block},
        grid=(c, b),
    )


def _batch_norm_nchw_backward(sample: Sampler, b: int, c: int, hw: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        xhat = (given["x_ptr"] - given["mean_ptr"][:, None]) * given["rstd_ptr"][:, None]
        return {
            "dweight_ptr": (given["dy_ptr"] * xhat).sum((0, 2)),
            "dbias_ptr": given["dy_ptr"].sum((0, 2)),
        }

    return Launch(
        tensors={
            "dy_ptr": sample.normal(b, c, hw),
            "x_ptr": sample.normal(b, c, hw),
            "mean_ptr": sample.normal(c),
            "rstd_ptr": sample.uniform(0.5, 2.0, c),
            "dweight_ptr": torch.zeros(c),
            "dbias_ptr": torch.zeros(c),
        },
        numbers={"B": b, "C": c, "HW": hw},
        expected=expected,
        constants={"BLOCK_HW": block},
        grid=(c,),
    )


def _case(
    kernel: str,
    prepare: Prepare,
    shapes: tuple[dict[str, int], ...],
    dtypes: tuple[DType | None, ...],
) -> Case:
    return Case(
        topic="norm",
        kernel=kernel,
        prepare=prepare,
        shapes=shapes,
        dtypes=dtypes,
    )


CASES = [
    _case("layer_norm_forward", _layer_norm, _MATRIX, _NARROW),
    _case("layer_norm_backward", _layer_norm_backward, _MATRIX, (DType.F32,)),
    _case("rms_norm_forward", _rms_norm, _MATRIX, FLOATS),
    _case(
        "group_norm_forward",
        _group_norm,
        (
            {"b": 2, "c": 6, "hw": 7, "g": 3, "block": 16},
            {"b": 1, "c": 1, "hw": 1, "g": 1, "block": 16},
            {"b": 2, "c": 4, "hw": 5, "g": 4, "block": 64},
        ),
        FLOATS,
    ),
    _case("instance_norm_forward", _instance_norm, _IMAGES, _NARROW),
    _case("batch_norm_stats", _batch_norm_stats, _MATRIX, _NARROW),
    _case("batch_norm_nchw_forward", _batch_norm_nchw, _IMAGES, FLOATS),
    _case("batch_norm_nchw_backward_affine", _batch_norm_nchw_backward, _IMAGES, WIDE),
]

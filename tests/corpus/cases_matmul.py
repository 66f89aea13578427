"""Matrix products, linear layers, flattening and Newton–Schulz."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.corpus.builders import FLAT, ceil_div
from tests.corpus.model import FLOATS, NUMBERS, WIDE, Case, Launch
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.corpus.model import Prepare, Sampler, Tensors

_SHAPES = (
    {"m": 21, "n": 19, "k": 37, "block": 16},
    {"m": 1, "n": 1, "k": 1, "block": 16},
    {"m": 50, "n": 16, "k": 16, "block": 16},
)


def _tiles(block: int, *names: str) -> dict[str, int]:
    return {f"BLOCK_{name}": block for name in names or ("M", "N", "K")}


def _sizes(m: int, n: int, k: int) -> dict[str, int]:
    return {"M": m, "N": n, "K": k}


def _quarters(sample: Sampler, *shape: int) -> torch.Tensor:
    """Numbers that TF32 holds: what the tensor cores multiply is what the reference multiplies."""
    return sample.whole(-9, 10, *shape) / 4


def _matmul(sample: Sampler, m: int, n: int, k: int, block: int) -> Launch:
    return Launch(
        tensors={
            "a_ptr": _quarters(sample, m, k),
            "b_ptr": _quarters(sample, k, n),
            "c_ptr": torch.zeros(m, n),
        },
        numbers=_sizes(m, n, k),
        expected=lambda given: {"c_ptr": given["a_ptr"] @ given["b_ptr"]},
        constants={**_tiles(block), "GROUP_M": 2},
        grid=(ceil_div(m, block) * ceil_div(n, block),),
    )


def _matmul_da(sample: Sampler, m: int, n: int, k: int, block: int) -> Launch:
    return Launch(
        tensors={
            "dc_ptr": _quarters(sample, m, n),
            "b_ptr": _quarters(sample, k, n),
            "da_ptr": torch.zeros(m, k),
        },
        numbers=_sizes(m, n, k),
        expected=lambda given: {"da_ptr": given["dc_ptr"] @ given["b_ptr"].T},
        constants={**_tiles(block), "GROUP_M": 8},
        grid=(ceil_div(m, block) * ceil_div(k, block),),
    )


def _by_pointers(sample: Sampler, m: int, n: int, k: int, block: int) -> Launch:
    return Launch(
        tensors={
            "a_ptr": _quarters(sample, m, k),
            "b_ptr": _quarters(sample, k, n),
            "c_ptr": torch.zeros(m, n),
        },
        numbers=_sizes(m, n, k),
        expected=lambda given: {"c_ptr": given["a_ptr"] @ given["b_ptr"]},
        constants=_tiles(block),
        grid=(ceil_div(m, block), ceil_div(n, block)),
    )


def _linear(sample: Sampler, m: int, n: int, k: int, bias: int, block: int) -> Launch:
    """With the input stored by columns: its last stride is not 1."""

    def expected(given: Tensors) -> Tensors:
        y = given["x_ptr"].T @ given["w_ptr"].T
        return {"y_ptr": y + given["b_ptr"] if bias else y}

    return Launch(
        tensors={
            "x_ptr": _quarters(sample, k, m),
            "w_ptr": _quarters(sample, n, k),
            "b_ptr": _quarters(sample, n),
            "y_ptr": torch.zeros(m, n),
        },
        numbers={
            **_sizes(m, n, k),
            "stride_xm": 1,
            "stride_xk": m,
            "stride_wn": k,
            "stride_wk": 1,
            "stride_ym": n,
            "stride_yn": 1,
        },
        expected=expected,
        constants={"USE_BIAS": bias, **_tiles(block)},
        grid=(ceil_div(m, block) * ceil_div(n, block),),
    )


def _linear_backward(sample: Sampler, m: int, n: int, k: int, bias: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        dy = given["dy_ptr"]
        db = dy.sum(0) if bias else torch.zeros(n)
        return {"dx_ptr": dy @ given["w_ptr"], "dw_ptr": dy.T @ given["x_ptr"], "db_ptr": db}

    tiles_k = ceil_div(k, block)
    return Launch(
        tensors={
            "dy_ptr": _quarters(sample, m, n),
            "x_ptr": _quarters(sample, m, k),
            "w_ptr": _quarters(sample, n, k),
            "dx_ptr": torch.zeros(m, k),
            "dw_ptr": torch.zeros(n, k),
            "db_ptr": torch.zeros(n),
        },
        numbers={
            **_sizes(m, n, k),
            "stride_dym": n,
            "stride_dyn": 1,
            "stride_dw": k,
            "_stride_db": 1,
        },
        expected=expected,
        constants={"USE_BIAS": bias, **_tiles(block)},
        grid=((ceil_div(m, block) + ceil_div(n, block)) * tiles_k,),
    )


def _flatten(sample: Sampler, m: int, n: int, by_columns: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": given["x_ptr"].T if by_columns else given["x_ptr"]}

    return Launch(
        tensors={
            "x_ptr": sample.normal(n, m) if by_columns else sample.normal(m, n),
            "y_ptr": torch.zeros(m, n),
        },
        numbers={
            "M": m,
            "N": n,
            "stride_m": 1 if by_columns else n,
            "stride_n": m if by_columns else 1,
        },
        expected=expected,
        constants=_tiles(block, "M", "N"),
        grid=(ceil_div(m, block) * ceil_div(n, block),),
    )


def _norm(sample: Sampler, n: int, block: int) -> Launch:
    return Launch(
        tensors={"x_ptr": sample.normal(n), "out_ptr": torch.zeros(1)},
        numbers={"n_elements": n},
        expected=lambda given: {"out_ptr": (given["x_ptr"] ** 2).sum()},
        constants={"BLOCK_SIZE": block},
        grid=(ceil_div(n, block),),
    )


def _xtx(sample: Sampler, m: int, n: int, transpose: int, block: int) -> Launch:
    r = n if transpose else m

    def expected(given: Tensors) -> Tensors:
        x = given["x_ptr"].T if transpose else given["x_ptr"]
        return {"out_ptr": x @ x.T}

    return Launch(
        tensors={"x_ptr": sample.normal(m, n), "out_ptr": torch.zeros(r, r)},
        numbers={"M": m, "N": n},
        expected=expected,
        constants={"TRANSPOSE": transpose, **_tiles(block, "R", "K")},
        grid=(ceil_div(r, block) ** 2,),
    )


def _step(sample: Sampler, m: int, n: int, transpose: int, block: int) -> Launch:
    side = n if transpose else m

    def expected(given: Tensors) -> Tensors:
        x, p = given["x_ptr"], given["p_ptr"]
        return {"out_ptr": 1.5 * x + (x @ p if transpose else p @ x)}

    return Launch(
        tensors={
            "x_ptr": sample.normal(m, n),
            "p_ptr": sample.normal(side, side),
            "out_ptr": torch.zeros(m, n),
        },
        numbers={"M": m, "N": n, "a": 1.5},
        expected=expected,
        constants={"TRANSPOSE": transpose, **_tiles(block)},
        grid=(ceil_div(m, block) * ceil_div(n, block),),
    )


def _case(
    kernel: str,
    prepare: Prepare,
    shapes: tuple[Mapping[str, int], ...],
    dtypes: tuple[DType | None, ...] = (None,),
    tolerance: str = "sum",
) -> Case:
    return Case(
        topic="matmul",
        kernel=kernel,
        prepare=prepare,
        shapes=shapes,
        dtypes=dtypes,
        tolerance=tolerance,
    )


def _both(shapes: tuple[dict[str, int], ...], flag: str) -> tuple[dict[str, int], ...]:
    return tuple({**shape, flag: value} for shape in shapes for value in (0, 1))


_LAYERS = _both(
    ({"m": 21, "n": 19, "k": 37, "block": 16}, {"m": 1, "n": 1, "k": 1, "block": 16}), "bias"
)
_PLANES = ({"m": 21, "n": 37, "block": 16}, {"m": 1, "n": 1, "block": 16})
_COPIES = _both(_PLANES, "by_columns")
_TURNED = _both(_PLANES, "transpose")
_TENSOR_CORES = "tensor core"

CASES = [
    _case("matmul_forward", _matmul, _SHAPES, WIDE, _TENSOR_CORES),
    _case("matmul_backward_da", _matmul_da, _SHAPES, WIDE, _TENSOR_CORES),
    _case("matmul_pointers_forward", _by_pointers, _SHAPES),
    _case("linear_forward", _linear, _LAYERS, WIDE, _TENSOR_CORES),
    _case("linear_backward", _linear_backward, _LAYERS, WIDE, _TENSOR_CORES),
    _case("flatten_forward", _flatten, _COPIES, (*FLOATS, *NUMBERS[-2:]), "exact"),
    _case("muon_frob_norm_sq", _norm, FLAT, (DType.F32, DType.F16, DType.BF16)),
    _case("muon_ns_xtx", _xtx, _TURNED),
    _case("muon_ns_step", _step, _TURNED),
]

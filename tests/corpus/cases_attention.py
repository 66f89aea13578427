"""Attention against softmax of the whole matrix of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.corpus.model import FLOATS, WIDE, Case, Launch

if TYPE_CHECKING:
    from tests.corpus.model import Sampler, Tensors

_SHAPES = ({"bh": 2, "n": 7, "d": 16}, {"bh": 1, "n": 1, "d": 16}, {"bh": 1, "n": 12, "d": 4})
_SCALE = 0.25


def _scores(given: Tensors) -> torch.Tensor:
    return _SCALE * given["q_ptr"] @ given["k_ptr"].mT


def _heads(sample: Sampler, bh: int, n: int, d: int, *names: str) -> dict[str, torch.Tensor]:
    return {f"{name}_ptr": sample.normal(bh, n, d) for name in names}


def _forward(sample: Sampler, bh: int, n: int, d: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        scores = _scores(given)
        return {"o_ptr": scores.softmax(2) @ given["v_ptr"], "lse_ptr": scores.logsumexp(2)}

    return Launch(
        tensors={
            **_heads(sample, bh, n, d, "q", "k", "v"),
            "o_ptr": torch.zeros(bh, n, d),
            "lse_ptr": torch.zeros(bh, n),
        },
        numbers={"N": n, "scale": _SCALE, "neg_inf": -(2.0**127)},
        expected=expected,
        constants={"HEAD_DIM": d, "BLOCK_N": 16},
        grid=(n, bh),
    )


def _backward(wanted: tuple[str, ...], sample: Sampler, bh: int, n: int, d: int) -> Launch:
    tensors = _heads(sample, bh, n, d, "q", "k", "v", "do")
    p = _scores(tensors).softmax(2)
    delta = ((p @ tensors["v_ptr"]) * tensors["do_ptr"]).sum(2)

    def expected(given: Tensors) -> Tensors:
        p = (_scores(given) - given["lse_ptr"][..., None]).exp()
        dp = given["do_ptr"] @ given["v_ptr"].mT
        ds = _SCALE * p * (dp - given["delta_ptr"][..., None])
        found = {
            "dq_ptr": ds @ given["k_ptr"],
            "dk_ptr": ds.mT @ given["q_ptr"],
            "dv_ptr": p.mT @ given["do_ptr"],
        }
        return {name: found[name] for name in wanted}

    blank = torch.zeros(bh, n, d)
    return Launch(
        tensors={
            **tensors,
            "lse_ptr": _scores(tensors).logsumexp(2),
            "delta_ptr": delta,
            **dict.fromkeys(wanted, blank),
        },
        numbers={"N": n, "scale": _SCALE},
        expected=expected,
        constants={"HEAD_DIM": d, "BLOCK_N": 16},
        grid=(n, bh),
    )


def _dq(sample: Sampler, bh: int, n: int, d: int) -> Launch:
    return _backward(("dq_ptr",), sample, bh, n, d)


def _dkv(sample: Sampler, bh: int, n: int, d: int) -> Launch:
    return _backward(("dk_ptr", "dv_ptr"), sample, bh, n, d)


def _delta(sample: Sampler, bh: int, n: int, d: int) -> Launch:
    return Launch(
        tensors={**_heads(sample, bh, n, d, "o", "do"), "delta_ptr": torch.zeros(bh, n)},
        numbers={"_n_rows": bh * n},
        expected=lambda given: {"delta_ptr": (given["o_ptr"] * given["do_ptr"]).sum(2)},
        constants={"HEAD_DIM": d},
        grid=(bh * n,),
    )


CASES = [
    Case(
        topic="attention",
        kernel=kernel,
        prepare=prepare,
        shapes=_SHAPES,
        dtypes=dtypes,
    )
    for kernel, prepare, dtypes in (
        ("flash_attention2_forward", _forward, FLOATS),
        ("flash_attention2_backward_dq", _dq, WIDE),
        ("flash_attention2_backward_dkv", _dkv, WIDE),
        ("flash_attention2_delta", _delta, FLOATS),
    )
]

"""Launches kernels on request: a process of its own, that needs torch and triton alone.

A line of its input is a request in JSON, `{"path": …, "calls": […]}`, calls being `Call`s. The answer is a list with
the bits of every output of every call, or a text that tells what Triton said. Kernels run in Triton's interpreter where
`TRITON_INTERPRET` is 1, and on the current device otherwise.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from tests.collecting import collect_rarely
from tests.interpreter.sparing import spare

if TYPE_CHECKING:
    from types import ModuleType


class Call(TypedDict):
    """One launch: `outputs` are names of dtypes, the bits of their `elements` come back."""

    function: str
    constants: dict[str, int]
    outputs: list[str]
    elements: int
    arguments: list[int | float | bool]


_TORCH = {
    "bool": (torch.bool, torch.uint8),
    **{f"i{bits}": (getattr(torch, f"int{bits}"),) * 2 for bits in (8, 16, 32, 64)},
    **{
        f"u{bits}": (getattr(torch, f"uint{bits}"), getattr(torch, f"int{bits}"))
        for bits in (8, 16, 32, 64)
    },
    "f32": (torch.float32, torch.int32),
    "f64": (torch.float64, torch.int64),
}


def launch(module: ModuleType, call: Call) -> list[list[int]] | str:
    """The bits of every output of one call; a text where Triton refuses it."""
    is_interpreted = os.environ.get("TRITON_INTERPRET") == "1"
    device = "cpu" if is_interpreted else "cuda"
    outputs = [
        torch.zeros(call["elements"], dtype=torch.int64).to(_TORCH[dtype][0]).to(device)
        for dtype in call["outputs"]
    ]
    # A compiler that contracts a product and a sum into one operation computes other numbers than Rust.
    options = {} if is_interpreted else {"enable_fp_fusion": False}
    try:
        getattr(module, call["function"])[(1,)](
            *outputs, *call["arguments"], **call["constants"], **options
        )
    except Exception as error:  # noqa: BLE001 - whatever Triton raises is the answer
        return explained(error)
    return [
        [
            number % 2 ** (8 * output.element_size())
            for number in output.cpu().view(_TORCH[dtype][1]).tolist()
        ]
        for output, dtype in zip(outputs, call["outputs"], strict=True)
    ]


def explained(error: BaseException | None) -> str:
    """What an error and its causes say."""
    parts = []
    while error is not None:
        parts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return "\n".join(parts)


def load(path: Path) -> ModuleType:
    """A generated module.

    Raises:
        FileNotFoundError: there is none.
    """
    spec = importlib.util.spec_from_file_location(f"programs_{path.parent.name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def serve() -> None:
    """Answers requests until the input ends."""
    import numpy as np  # noqa: PLC0415 - with torch alone it need not be there

    np.seterr(all="ignore")  # numbers overflow on purpose
    if os.environ.get("TRITON_INTERPRET") == "1":
        spare()
    collect_rarely()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            module = load(Path(request["path"]))
            answer: object = [launch(module, call) for call in request["calls"]]
        except Exception as error:  # noqa: BLE001 - a module that cannot be loaded is an answer
            answer = explained(error)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()

"""Runs every batch norm operator and module at odd shapes, for compute-sanitizer to watch.

`compute-sanitizer --tool memcheck python tests/gpu/sanitizer_driver.py [[ALGORITHM=]PATH ...]`, and the same with
racecheck and initcheck. It runs in seconds by itself, checks no numbers, and prints what it ran. Each tensor has an
allocation of its own: in torch's cache an access beyond a tensor would land in another one, and nothing would notice.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from tests.gpu.operator_calls import operator_calls
from tests.modules.subjects import modules_of
from tests.numerics.algorithms import Algorithm
from tests.numerics.modules import OWN_MODULE, Subject

SHAPES = ((3, 5), (129, 7), (3, 5, 7), (3, 2, 13, 11))


def main(paths: list[str]) -> None:
    """Run everything over each module."""
    device = "cuda"
    subjects = [_subject(text) for text in paths] or [OWN_MODULE]
    for subject in subjects:
        modules = modules_of(subject)
        for dtype in (torch.float32, torch.float16, torch.float64):
            for call in operator_calls(modules.BatchNorm2d.operators, device, dtype):
                y = call.run()
                if call.is_differentiable:
                    y.sum().backward()  # type: ignore[no-untyped-call]
                torch.cuda.synchronize()
                print(f"{subject.name}: {call.label}")
        for shape in SHAPES:
            make = modules.BatchNorm2d if len(shape) == 4 else modules.BatchNorm1d
            norm = make(shape[1], device=device)
            for is_training in (True, False):
                norm.train(is_training)
                x = torch.randn(shape, device=device, requires_grad=True)
                norm(x).sum().backward()
                with torch.no_grad():
                    norm(x)
                torch.cuda.synchronize()
                print(f"{subject.name}: {make.__name__} {list(shape)}, training={is_training}")


def _subject(text: str) -> Subject:
    algorithm, separator, path = text.rpartition("=")
    kind = Algorithm(algorithm) if separator else Algorithm.SOUND
    return Subject(path=Path(path).resolve(), algorithm=kind)


if __name__ == "__main__":
    main(sys.argv[1:])

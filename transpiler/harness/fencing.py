"""Fences around the tensors that an operator makes for itself: its output and its gradients."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from transpiler.harness.fences import around, poisoned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from transpiler.harness.fences import Fenced


@contextmanager
def fencing(reach: int) -> Iterator[list[Fenced]]:
    """What torch makes like another tensor, until it is left, stands behind a fence; the fences so far."""
    import torch  # noqa: PLC0415 - an optional dependency of a second
    from torch.overrides import TorchFunctionMode  # noqa: PLC0415

    made: list[Fenced] = []

    class Fencing(TorchFunctionMode):
        def __torch_function__(
            self,
            func: Callable[..., object],
            types: object,
            args: Sequence[object] = (),
            kwargs: Mapping[str, object] | None = None,
        ) -> object:
            result = func(*args, **(kwargs or {}))
            is_zeroed = func == torch.Tensor.new_zeros
            is_empty = func in (torch.Tensor.new_empty, torch.empty_like)
            if not isinstance(result, torch.Tensor) or not (is_zeroed or is_empty):
                return result
            fenced = (
                around(result, reach=reach, is_written=True)
                if is_zeroed
                else poisoned(tuple(result.shape), result.dtype, result.device, reach=reach)
            )
            made.append(fenced)
            return fenced.tensor

    with Fencing():
        yield made

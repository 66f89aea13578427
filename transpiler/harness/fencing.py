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
    from torch.utils._python_dispatch import TorchDispatchMode  # noqa: PLC0415

    aten = torch.ops.aten
    made: list[Fenced] = []

    class Fencing(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types for it
        # A mode of functions would not see what is called in `torch.autograd.grad`.
        def __torch_dispatch__(
            self,
            func: Callable[..., object],
            types: object,
            args: Sequence[object] = (),
            kwargs: Mapping[str, object] | None = None,
        ) -> object:
            result = func(*args, **(kwargs or {}))
            is_zeroed = func in (aten.new_zeros.default, aten.zeros_like.default)
            is_empty = func in (aten.new_empty.default, aten.empty_like.default)
            if not isinstance(result, torch.Tensor) or not (is_zeroed or is_empty):
                return result
            fenced = (
                around(result, reach=reach, is_written=True)
                if is_zeroed
                else poisoned(tuple(result.shape), result.dtype, result.device, reach=reach)
            )
            made.append(fenced)
            return fenced.tensor

    with Fencing():  # type: ignore[no-untyped-call]  # as above
        yield made

"""What it takes to run a kernel, wherever it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch

    from tests.numerics.fences import Fenced


class LaunchError(Exception):
    """A launch that Triton refused; the text is Triton's."""


class Launcher(Protocol):
    """A generated module on a device."""

    @property
    def device(self) -> torch.device:
        """Where tensors must be."""
        ...

    @property
    def chops_bfloat16(self) -> bool:
        """Whether storing to bfloat16 drops the low bits instead of rounding."""
        ...

    def launch(
        self,
        function: str,
        arguments: Sequence[Fenced | int | float],
        constants: Mapping[str, int],
        grid: tuple[int, ...],
    ) -> None:
        """Run `function` of the module once over `grid`, writing into the fenced buffers.

        Raises:
            LaunchError: Triton refuses it.
        """
        ...


def explained(error: BaseException | None) -> str:
    """What an error and its causes say; Triton words a called function's failure in a cause."""
    parts = []
    while error is not None:
        parts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return "\n".join(parts)

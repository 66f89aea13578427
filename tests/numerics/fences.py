"""Buffers that show whether a kernel wrote where it must not."""

from __future__ import annotations

from dataclasses import dataclass

import torch

GUARD = 64
"""Elements on each side: a multiple of 16 bytes in every dtype, so that the fence does not cost the
alignment."""

_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """A tensor in the middle of a buffer whose ends hold a known value.

    Around an input that value is NaN: a lane that reads beyond the tensor and lets it enter a
    result spoils the result. Around an output it is a number: what such a lane writes would be NaN,
    and must be seen.
    """

    buffer: torch.Tensor
    shape: tuple[int, ...]
    start: int
    before: torch.Tensor

    @classmethod
    def around(cls, values: torch.Tensor, *, guard: float, misaligned: bool = False) -> Fenced:
        """A fenced copy of `values`, one element off 16-byte alignment when `misaligned`."""
        start = GUARD + misaligned
        flat = values.flatten()
        buffer = flat.new_full((start + flat.numel() + GUARD,), guard)
        buffer[start : start + flat.numel()] = flat
        return cls(buffer=buffer, shape=tuple(values.shape), start=start, before=buffer.clone())

    @property
    def tensor(self) -> torch.Tensor:
        """The part between the guards: what a kernel is given."""
        return self.buffer[self.start : self.buffer.numel() - GUARD].view(self.shape)

    def changed(self) -> torch.Tensor:
        """For each element of the tensor, whether its bits are not what they were."""
        return self._differs()[self.start : self.buffer.numel() - GUARD].view(self.shape)

    def breached(self) -> bool:
        """Whether any guard element was written."""
        differs = self._differs()
        return bool(differs[: self.start].any() or differs[self.buffer.numel() - GUARD :].any())

    def _differs(self) -> torch.Tensor:
        bits = _BITS[self.buffer.element_size()]
        return self.buffer.view(bits) != self.before.view(bits)

"""Tensors inside larger buffers, which show what a kernel wrote and what it left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    import torch

LEAST_GUARD: Final = 1024
MOST_GUARD: Final = 1 << 20
_ALIGNMENT: Final = 16
"""Elements: 16 bytes or more in every dtype, so that the fence does not cost the alignment."""

_POISON: Final = {
    ("float", 2): 0x7E5A,
    ("bfloat", 2): 0x7FDA,
    ("float", 4): 0x7FC5A5A5,
    ("float", 8): 0x7FF85A5A5A5A5A5A,
    ("other", 1): 0x5A,
    ("other", 2): 0x5A5A,
    ("other", 4): 0x5A5A5A5A,
    ("other", 8): 0x5A5A5A5A5A5A5A5A,
}
"""Bits that no kernel computes: NaN with a payload of its own, which arithmetic does not make, and numbers nobody
counts to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """A tensor in the middle of a buffer; `before` has the buffer's bits before the launch."""

    bits: torch.Tensor
    before: torch.Tensor
    tensor: torch.Tensor
    start: int
    poison: int

    @property
    def is_bool(self) -> bool:
        """Whether the elements are truth values."""
        return str(self.tensor.dtype) == "torch.bool"

    def breaches(self) -> tuple[int, int] | None:
        """How many elements outside the tensor were written, and where the first is, from its first element."""
        differs = self.bits != self.before
        differs[self.start : self.start + self.tensor.numel()] = False
        places = differs.nonzero().flatten()
        return (places.numel(), int(places[0]) - self.start) if places.numel() else None

    def changed(self) -> torch.Tensor:
        """For each element, whether its bits are not what they were."""
        return self._own(self.bits != self.before)

    def untouched(self) -> torch.Tensor:
        """For each element, whether it still holds the poison."""
        return self._own(self.bits == self.poison)

    def differs_from(self, values: torch.Tensor) -> torch.Tensor:
        """For each element, whether it is another integer, or another truth value, than that of `values`."""
        wanted = values.to(self.tensor.dtype).view(self.tensor.shape).contiguous()
        # By their bits: torch does not compare unsigned integers of more than a byte.
        own, theirs = self._own(self.bits), wanted.view(self.bits.dtype)
        # Whatever is not 0 in the byte of a bool is true.
        return (own != 0) != (theirs != 0) if self.is_bool else own != theirs

    def _own(self, flags: torch.Tensor) -> torch.Tensor:
        end = self.start + self.tensor.numel()
        return flags[self.start : end].view(self.tensor.shape)


def around(values: torch.Tensor, *, reach: int, is_written: bool) -> Fenced:
    """A fenced copy of `values`; beyond an input lies NaN, which spoils what it enters.

    An integer beyond an input is 0, because an index that is spoilt would end the process.
    """
    fenced = _empty(values.shape, values.dtype, values.device, reach)
    if not is_written and not values.is_floating_point():
        fenced.bits.zero_()
    fenced.tensor.copy_(values)
    fenced.before.copy_(fenced.bits)
    return fenced


def poisoned(
    shape: tuple[int, ...], dtype: torch.dtype, device: torch.device, *, reach: int
) -> Fenced:
    """A fenced tensor nobody has written yet."""
    return _empty(shape, dtype, device, reach)


def _empty(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device, reach: int) -> Fenced:
    import torch  # noqa: PLC0415 - an optional dependency of a second

    numel = torch.Size(shape).numel()
    # As wide as the tensor and two tiles, within reason: most stray writes are off by a row or a tile.
    guard = min(max(LEAST_GUARD, numel, 2 * reach), MOST_GUARD)
    guard = -(-guard // _ALIGNMENT) * _ALIGNMENT
    buffer = torch.empty(guard + numel + guard, dtype=dtype, device=device)
    words = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    bits = buffer.view(words[dtype.itemsize])
    kind = "bfloat" if dtype is torch.bfloat16 else "float" if dtype.is_floating_point else "other"
    poison = _POISON[kind, dtype.itemsize]
    bits.fill_(poison)
    return Fenced(
        bits=bits,
        before=bits.clone(),
        tensor=buffer[guard : guard + numel].view(shape),
        start=guard,
        poison=poison,
    )

"""What kernels that leave partial sums behind share: who adds them up, and how."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def is_last(tickets_ptr, at, SPLITS: tl.constexpr):
    """Whether all other programs that share a ticket have stored their partial sums; the ticket is 0 again then."""
    tl.debug_barrier()
    is_last = tl.atomic_add(tickets_ptr + at, 1, sem="acq_rel") == SPLITS - 1
    if is_last:
        tl.store(tickets_ptr + at, 0)
    return is_last


@triton.jit
def added(
    first_ptr,
    second_ptr,
    columns,
    is_column,
    COLUMNS: tl.constexpr,
    SPLITS: tl.constexpr,
    BLOCK_SPLITS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    """Two arrays of partial sums, `[SPLITS, COLUMNS]`, added up; read past the first cache, which may be stale."""
    first = tl.zeros([BLOCK_SPLITS, BLOCK_COLUMNS], tl.float32)
    second = tl.zeros([BLOCK_SPLITS, BLOCK_COLUMNS], tl.float32)
    for start in range(0, SPLITS, BLOCK_SPLITS):
        split = start + tl.arange(0, BLOCK_SPLITS)
        offsets = split[:, None] * COLUMNS + columns[None, :]
        inside = (split < SPLITS)[:, None] & is_column[None, :]
        first += tl.load(first_ptr + offsets, mask=inside, other=0.0, cache_modifier=".cg")
        second += tl.load(second_ptr + offsets, mask=inside, other=0.0, cache_modifier=".cg")
    return tl.sum(first, axis=0), tl.sum(second, axis=0)

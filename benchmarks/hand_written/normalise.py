"""Inference."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def normalise(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    var_ptr,
    rows,
    eps,
    COLUMNS: tl.constexpr,
    POSITIONS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    TILES: tl.constexpr,
):
    """`y = (x - mean) * weight / sqrt(var + eps) + bias`; a program takes `TILES` tiles one below another."""
    column_blocks: tl.constexpr = (COLUMNS + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS
    program = tl.program_id(0)
    columns = (program % column_blocks) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    channels = columns // POSITIONS

    mean = tl.load(mean_ptr + channels, mask=is_column, other=0.0).to(tl.float32)
    var = tl.load(var_ptr + channels, mask=is_column, other=1.0).to(tl.float32)
    weight = tl.load(weight_ptr + channels, mask=is_column, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + channels, mask=is_column, other=0.0).to(tl.float32)
    scale = weight * tl.rsqrt(var + eps)

    first = (program // column_blocks) * BLOCK_ROWS * TILES
    for tile in tl.static_range(TILES):
        row = first + tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
        offsets = row[:, None] * COLUMNS + columns[None, :]
        inside = (row < rows)[:, None] & is_column[None, :]
        x = tl.load(x_ptr + offsets, mask=inside, eviction_policy="evict_first").to(tl.float32)
        y = (x - mean[None, :]) * scale[None, :] + bias[None, :]
        tl.store(y_ptr + offsets, y, mask=inside, eviction_policy="evict_first")

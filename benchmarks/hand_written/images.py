"""Gradients where the statistics are constants, over images."""

from __future__ import annotations

import triton
import triton.language as tl

from benchmarks.hand_written.partials import is_last


@triton.jit
def frozen_gradients_by_lane(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    var_ptr,
    bias_sums_ptr,
    weight_sums_ptr,
    rows,
    eps,
    COLUMNS: tl.constexpr,
    POSITIONS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    SPLITS: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Gradients where the statistics are constants, for images too small to fill a tile.

    Writes `dx`, and sums for each position of each channel, `[SPLITS, COLUMNS]`.
    """
    column_blocks: tl.constexpr = (COLUMNS + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS
    program = tl.program_id(0)
    split = program // column_blocks
    columns = (program % column_blocks) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    channels = columns // POSITIONS
    mean = tl.load(mean_ptr + channels, mask=is_column, other=0.0).to(tl.float32)
    var = tl.load(var_ptr + channels, mask=is_column, other=1.0).to(tl.float32)
    weight = tl.load(weight_ptr + channels, mask=is_column, other=0.0).to(tl.float32)
    rstd = tl.rsqrt(var + eps)
    scale = weight * rstd

    bias_sums = tl.zeros([BLOCK_ROWS, BLOCK_COLUMNS], tl.float32)
    weight_sums = tl.zeros([BLOCK_ROWS, BLOCK_COLUMNS], tl.float32)
    for first in tl.range(split * BLOCK_ROWS, rows, SPLITS * BLOCK_ROWS, num_stages=STAGES):
        row = first + tl.arange(0, BLOCK_ROWS)
        offsets = row[:, None] * COLUMNS + columns[None, :]
        inside = (row < rows)[:, None] & is_column[None, :]
        x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        bias_sums += dy
        weight_sums += dy * (x - mean[None, :])
        tl.store(dx_ptr + offsets, scale[None, :] * dy, mask=inside)
    at = split * COLUMNS + columns
    tl.store(bias_sums_ptr + at, tl.sum(bias_sums, axis=0), mask=is_column)
    tl.store(weight_sums_ptr + at, tl.sum(weight_sums, axis=0) * rstd, mask=is_column)


@triton.jit
def frozen_gradients_by_plane(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    var_ptr,
    bias_sums_ptr,
    weight_sums_ptr,
    tickets_ptr,
    dbias_ptr,
    dweight_ptr,
    rows,
    eps,
    COLUMNS: tl.constexpr,
    POSITIONS: tl.constexpr,
    BLOCK_POSITIONS: tl.constexpr,
    SPLITS: tl.constexpr,
    STAGES: tl.constexpr,
    IS_FUSED: tl.constexpr,
    BLOCK_SPLITS: tl.constexpr,
):
    """The same for images that fill tiles.

    A program takes every `SPLITS`-th image of a channel, and leaves one sum each, `[channels, SPLITS]`. Where
    `IS_FUSED`, the last program of a channel adds these up.
    """
    program = tl.program_id(0)
    channel = program // SPLITS
    mean = tl.load(mean_ptr + channel).to(tl.float32)
    var = tl.load(var_ptr + channel).to(tl.float32)
    weight = tl.load(weight_ptr + channel).to(tl.float32)
    rstd = tl.rsqrt(var + eps)
    scale = weight * rstd

    bias_sums = tl.zeros([BLOCK_POSITIONS], tl.float32)
    weight_sums = tl.zeros([BLOCK_POSITIONS], tl.float32)
    for row in range(program % SPLITS, rows, SPLITS):
        plane = row * COLUMNS + channel * POSITIONS
        for first in tl.range(0, POSITIONS, BLOCK_POSITIONS, num_stages=STAGES):
            position = first + tl.arange(0, BLOCK_POSITIONS)
            inside = position < POSITIONS
            x = tl.load(x_ptr + plane + position, mask=inside, other=0.0).to(tl.float32)
            dy = tl.load(dy_ptr + plane + position, mask=inside, other=0.0).to(tl.float32)
            bias_sums += dy
            weight_sums += dy * (x - mean)
            tl.store(dx_ptr + plane + position, scale * dy, mask=inside)
    tl.store(bias_sums_ptr + program, tl.sum(bias_sums, axis=0))
    tl.store(weight_sums_ptr + program, tl.sum(weight_sums, axis=0) * rstd)
    if IS_FUSED:
        if is_last(tickets_ptr, channel, SPLITS):
            split = tl.arange(0, BLOCK_SPLITS)
            at = channel * SPLITS + split
            inside = split < SPLITS
            dbias = tl.load(bias_sums_ptr + at, mask=inside, other=0.0, cache_modifier=".cg")
            dweight = tl.load(weight_sums_ptr + at, mask=inside, other=0.0, cache_modifier=".cg")
            tl.store(dbias_ptr + channel, tl.sum(dbias, axis=0))
            tl.store(dweight_ptr + channel, tl.sum(dweight, axis=0))


@triton.jit
def frozen_finish(
    bias_sums_ptr,
    weight_sums_ptr,
    dbias_ptr,
    dweight_ptr,
    CHANNELS: tl.constexpr,
    SPLITS: tl.constexpr,
    WIDTH: tl.constexpr,
    BLOCK_CHANNELS: tl.constexpr,
    BLOCK_WIDTH: tl.constexpr,
):
    """Adds up partial sums `[SPLITS, CHANNELS, WIDTH]`."""
    channel = tl.program_id(0) * BLOCK_CHANNELS + tl.arange(0, BLOCK_CHANNELS)
    place = tl.arange(0, BLOCK_WIDTH)
    is_channel = channel < CHANNELS
    inside = is_channel[:, None] & (place < WIDTH)[None, :]
    bias_sums = tl.zeros([BLOCK_CHANNELS, BLOCK_WIDTH], tl.float32)
    weight_sums = tl.zeros([BLOCK_CHANNELS, BLOCK_WIDTH], tl.float32)
    for split in range(SPLITS):
        offsets = (split * CHANNELS + channel)[:, None] * WIDTH + place[None, :]
        bias_sums += tl.load(bias_sums_ptr + offsets, mask=inside, other=0.0)
        weight_sums += tl.load(weight_sums_ptr + offsets, mask=inside, other=0.0)
    tl.store(dbias_ptr + channel, tl.sum(bias_sums, axis=1), mask=is_channel)
    tl.store(dweight_ptr + channel, tl.sum(weight_sums, axis=1), mask=is_channel)

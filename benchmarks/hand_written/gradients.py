"""Gradients of a training step."""

from __future__ import annotations

import triton
import triton.language as tl

from benchmarks.hand_written.partials import added, is_last


@triton.jit
def gradient_partials(
    dy_ptr,
    x_ptr,
    mean_ptr,
    rstd_ptr,
    bias_sums_ptr,
    weight_sums_ptr,
    tickets_ptr,
    totals_ptr,
    dbias_ptr,
    dweight_ptr,
    rows,
    COLUMNS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    SPLITS: tl.constexpr,
    STAGES: tl.constexpr,
    IS_FUSED: tl.constexpr,
    BLOCK_SPLITS: tl.constexpr,
):
    """Sums of `dy` and of `dy * xhat`, `[SPLITS, COLUMNS]` each; `IS_FUSED` as above."""
    column_blocks: tl.constexpr = (COLUMNS + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS
    program = tl.program_id(0)
    block = program % column_blocks
    split = program // column_blocks
    columns = block * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    mean = tl.load(mean_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + columns, mask=is_column, other=0.0).to(tl.float32)

    bias_sums = tl.zeros([BLOCK_ROWS, BLOCK_COLUMNS], tl.float32)
    weight_sums = tl.zeros([BLOCK_ROWS, BLOCK_COLUMNS], tl.float32)
    # All programs walk down together, so that the last rows are in the cache when `gradient_input` starts with them.
    for first in tl.range(split * BLOCK_ROWS, rows, SPLITS * BLOCK_ROWS, num_stages=STAGES):
        row = first + tl.arange(0, BLOCK_ROWS)
        offsets = row[:, None] * COLUMNS + columns[None, :]
        inside = (row < rows)[:, None] & is_column[None, :]
        x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        bias_sums += dy
        weight_sums += dy * (x - mean[None, :])
    at = split * COLUMNS + columns
    tl.store(bias_sums_ptr + at, tl.sum(bias_sums, axis=0), mask=is_column)
    tl.store(weight_sums_ptr + at, tl.sum(weight_sums, axis=0) * rstd, mask=is_column)
    if IS_FUSED:
        if is_last(tickets_ptr, block, SPLITS):
            dbias, dweight = added(
                bias_sums_ptr,
                weight_sums_ptr,
                columns,
                is_column,
                COLUMNS,
                SPLITS,
                BLOCK_SPLITS,
                BLOCK_COLUMNS,
            )
            _store_gradients(
                dbias,
                dweight,
                totals_ptr,
                dbias_ptr,
                dweight_ptr,
                columns,
                is_column,
                COLUMNS,
            )


@triton.jit
def gradient_finish(
    bias_sums_ptr,
    weight_sums_ptr,
    totals_ptr,
    dbias_ptr,
    dweight_ptr,
    COLUMNS: tl.constexpr,
    SPLITS: tl.constexpr,
    BLOCK_SPLITS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    """Adds up what `gradient_partials` left."""
    columns = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    dbias, dweight = added(
        bias_sums_ptr,
        weight_sums_ptr,
        columns,
        is_column,
        COLUMNS,
        SPLITS,
        BLOCK_SPLITS,
        BLOCK_COLUMNS,
    )
    _store_gradients(
        dbias,
        dweight,
        totals_ptr,
        dbias_ptr,
        dweight_ptr,
        columns,
        is_column,
        COLUMNS,
    )


@triton.jit
def _store_gradients(
    dbias,
    dweight,
    totals_ptr,
    dbias_ptr,
    dweight_ptr,
    columns,
    is_column,
    COLUMNS: tl.constexpr,
):
    """Gradients of the parameters; `totals[2, COLUMNS]` keeps them in f32 for `gradient_input`."""
    tl.store(totals_ptr + columns, dbias, mask=is_column)
    tl.store(totals_ptr + COLUMNS + columns, dweight, mask=is_column)
    tl.store(dbias_ptr + columns, dbias, mask=is_column)
    tl.store(dweight_ptr + columns, dweight, mask=is_column)


@triton.jit
def gradient_input(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    totals_ptr,
    rows,
    COLUMNS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    TILES: tl.constexpr,
):
    """`dx = weight * rstd * (dy - average(dy) - xhat * average(dy * xhat))`, from the last rows upwards."""
    column_blocks: tl.constexpr = (COLUMNS + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS
    program = tl.num_programs(0) - 1 - tl.program_id(0)
    columns = (program % column_blocks) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    mean = tl.load(mean_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    average_dy = tl.load(totals_ptr + columns, mask=is_column, other=0.0) / rows
    slope = rstd * tl.load(totals_ptr + COLUMNS + columns, mask=is_column, other=0.0) / rows
    scale = weight * rstd

    first = (program // column_blocks) * BLOCK_ROWS * TILES
    for tile in tl.static_range(TILES):
        row = first + (TILES - 1 - tile) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
        offsets = row[:, None] * COLUMNS + columns[None, :]
        inside = (row < rows)[:, None] & is_column[None, :]
        x = tl.load(x_ptr + offsets, mask=inside, eviction_policy="evict_first").to(tl.float32)
        dy = tl.load(dy_ptr + offsets, mask=inside, eviction_policy="evict_first").to(tl.float32)
        inner = dy - average_dy[None, :] - (x - mean[None, :]) * slope[None, :]
        dx = scale[None, :] * inner
        tl.store(dx_ptr + offsets, dx, mask=inside, eviction_policy="evict_first")

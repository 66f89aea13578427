"""Mean and deviation of a batch."""

from __future__ import annotations

import triton
import triton.language as tl

from benchmarks.hand_written.partials import added, is_last


@triton.jit
def stats_partials(
    x_ptr,
    sums_ptr,
    squares_ptr,
    tickets_ptr,
    mean_ptr,
    rstd_ptr,
    running_mean_ptr,
    running_var_ptr,
    rows,
    eps,
    momentum,
    COLUMNS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
    SPLITS: tl.constexpr,
    STAGES: tl.constexpr,
    IS_FUSED: tl.constexpr,
    BLOCK_SPLITS: tl.constexpr,
):
    """Sums of `x - x[0]` and of its squares, `[SPLITS, COLUMNS]` each.

    The first row is near enough to the mean for the variance to survive the subtraction of the two. Where `IS_FUSED`,
    the last program of a block of columns does what `stats_finish` does.
    """
    column_blocks: tl.constexpr = (COLUMNS + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS
    program = tl.program_id(0)
    block = program % column_blocks
    split = program // column_blocks
    columns = block * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    origin = tl.load(x_ptr + columns, mask=is_column, other=0.0).to(tl.float32)

    sums = tl.zeros([BLOCK_ROWS, BLOCK_COLUMNS], tl.float32)
    squares = tl.zeros([BLOCK_ROWS, BLOCK_COLUMNS], tl.float32)
    for first in tl.range(split * BLOCK_ROWS, rows, SPLITS * BLOCK_ROWS, num_stages=STAGES):
        row = first + tl.arange(0, BLOCK_ROWS)
        offsets = row[:, None] * COLUMNS + columns[None, :]
        inside = (row < rows)[:, None] & is_column[None, :]
        x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
        distance = tl.where(inside, x - origin[None, :], 0.0)
        sums += distance
        squares += distance * distance
    at = split * COLUMNS + columns
    tl.store(sums_ptr + at, tl.sum(sums, axis=0), mask=is_column)
    tl.store(squares_ptr + at, tl.sum(squares, axis=0), mask=is_column)
    if IS_FUSED:
        if is_last(tickets_ptr, block, SPLITS):
            all_sums, all_squares = added(
                sums_ptr,
                squares_ptr,
                columns,
                is_column,
                COLUMNS,
                SPLITS,
                BLOCK_SPLITS,
                BLOCK_COLUMNS,
            )
            _store_stats(
                origin,
                all_sums,
                all_squares,
                mean_ptr,
                rstd_ptr,
                running_mean_ptr,
                running_var_ptr,
                columns,
                is_column,
                rows,
                eps,
                momentum,
            )


@triton.jit
def stats_finish(
    x_ptr,
    sums_ptr,
    squares_ptr,
    mean_ptr,
    rstd_ptr,
    running_mean_ptr,
    running_var_ptr,
    rows,
    eps,
    momentum,
    COLUMNS: tl.constexpr,
    SPLITS: tl.constexpr,
    BLOCK_SPLITS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    """Adds up what `stats_partials` left, and moves the running statistics."""
    columns = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    is_column = columns < COLUMNS
    origin = tl.load(x_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    sums, squares = added(
        sums_ptr,
        squares_ptr,
        columns,
        is_column,
        COLUMNS,
        SPLITS,
        BLOCK_SPLITS,
        BLOCK_COLUMNS,
    )
    _store_stats(
        origin,
        sums,
        squares,
        mean_ptr,
        rstd_ptr,
        running_mean_ptr,
        running_var_ptr,
        columns,
        is_column,
        rows,
        eps,
        momentum,
    )


@triton.jit
def _store_stats(
    origin,
    sums,
    squares,
    mean_ptr,
    rstd_ptr,
    running_mean_ptr,
    running_var_ptr,
    columns,
    is_column,
    rows,
    eps,
    momentum,
):
    """Mean and deviation from sums around `origin`."""
    distance = sums / rows
    mean = origin + distance
    var = tl.maximum(squares / rows - distance * distance, 0.0)
    tl.store(mean_ptr + columns, mean, mask=is_column)
    tl.store(rstd_ptr + columns, tl.rsqrt(var + eps), mask=is_column)
    old_mean = tl.load(running_mean_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    old_var = tl.load(running_var_ptr + columns, mask=is_column, other=0.0).to(tl.float32)
    new_mean = (1.0 - momentum) * old_mean + momentum * mean
    new_var = (1.0 - momentum) * old_var + momentum * var
    tl.store(running_mean_ptr + columns, new_mean, mask=is_column)
    tl.store(running_var_ptr + columns, new_var, mask=is_column)

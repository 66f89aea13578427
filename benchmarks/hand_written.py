"""The same kernels written for the hardware by hand: what the optimiser's output is compared with.

All of them see a matrix of `rows` and `COLUMNS`, whose columns belong to a channel each: a batch `[N, C]` as it is, and
images `[B, C, H, W]` as `B` rows of `C * H * W` columns, where `POSITIONS = H * W` neighbours share a channel. Tiles
are contiguous along the columns, whatever the extents of an image are. Sums over rows are split among programs, which
leave partial sums behind for a small second kernel to add in a fixed order.
"""

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


@triton.jit
def _is_last(tickets_ptr, at, SPLITS: tl.constexpr):
    """Whether all other programs that share a ticket have stored their partial sums; the ticket is 0 again then."""
    tl.debug_barrier()
    is_last = tl.atomic_add(tickets_ptr + at, 1, sem="acq_rel") == SPLITS - 1
    if is_last:
        tl.store(tickets_ptr + at, 0)
    return is_last


@triton.jit
def _added(
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
        if _is_last(tickets_ptr, block, SPLITS):
            all_sums, all_squares = _added(
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
    sums, squares = _added(
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
        if _is_last(tickets_ptr, block, SPLITS):
            dbias, dweight = _added(
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
    dbias, dweight = _added(
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
        if _is_last(tickets_ptr, channel, SPLITS):
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

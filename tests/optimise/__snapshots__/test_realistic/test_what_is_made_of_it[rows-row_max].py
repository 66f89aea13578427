# block-axis: TILE_ROW indices of `row` in `row_max__whole`
# split-reduction: the loop over `cols` is shared out among programs
# block-axis: TILE_ROW indices of `row` in `row_max__final`
# split-kernel: 2 launches: row_max__partial, row_max__final


@triton.jit
def row_max__whole(
    x_ptr,
    y_ptr,
    N,
    lowest,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces `TILE_ROW` indices of `row` by itself.

    Launched in the place of `row_max`.
    """
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    lowest = tl.cast(lowest, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < grid_x

    fill = lowest
    largest = tl.full([TILE_ROW, TILE_COLS], fill, tl.float32)
    for cols_start in range(0, N, TILE_COLS):
        cols = cols_start + tl.arange(0, TILE_COLS)[None, :]
        cols_mask = cols < N
        mask = row_mask & cols_mask
        largest = tl.maximum(
            largest,
            tl.where(
                cols_mask, tl.load(x_ptr + (cols + row * N), mask=mask, other=fill), -float("inf")
            ),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 1, _maximum, keep_dims=True)
    tl.store(y_ptr + row, largest, mask=row_mask)


@triton.jit
def row_max__partial(
    x_ptr,
    N,
    lowest,
    largest_partials,
    grid_x,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `cols` to a partial result of `largest`.

    Launch 1 of 2 in the place of `row_max`.
    """
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    lowest = tl.cast(lowest, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(N, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # split-reduction: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < N

    fill = lowest
    largest = tl.full([TILE_COLS], fill, tl.float32)
    largest = tl.maximum(
        largest,
        tl.where(
            cols_mask, tl.load(x_ptr + (cols + row * N), mask=cols_mask, other=fill), -float("inf")
        ),
        propagate_nan=tl.PropagateNan.ALL,
    )
    largest = tl.reduce(largest, None, _maximum)

    slot = cols_tile * grid_x + row
    tl.store(largest_partials + slot, largest)


@triton.jit
def row_max__final(
    y_ptr,
    largest_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `largest`, and stores what is made of them.

    Launch 2 of 2 in the place of `row_max`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[None, :]
    row_mask = row < grid_x

    largest = tl.full([TILE_PART, TILE_ROW], -float("inf"), tl.float32)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = row_mask & (part < parts)
        slot = part * grid_x + row
        largest = tl.maximum(
            largest,
            tl.load(largest_partials + slot, mask=mask, other=-float("inf")),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)
    tl.store(y_ptr + row, largest, mask=row_mask)


def _plan_row_max(grid, x_ptr, y_ptr, N, lowest, BLOCK):
    """What is launched in the place of `row_max`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each row: programs reduce all of theirs in one launch.
    if N < 1024:
        TILE_COLS = min(1024, _power_of_two(N))
        TILE_ROW = min(1024 // TILE_COLS, _power_of_two(grid_x // 264))
        ALIGN_N = _alignment(N, 16)
        return [
            _Stage(
                row_max__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
                x_ptr,
                y_ptr,
                N,
                lowest,
                grid_x,
                TILE_ROW=TILE_ROW,
                TILE_COLS=TILE_COLS,
                ALIGN_N=ALIGN_N,
                num_warps=4,
                tuned=row_max__whole_tuned,
                index64=row_max__whole__index64,
            )
        ]

    # Programs are few: more of them share the loops.
    if grid_x < 256 and N >= 16 * BLOCK:
        TILE_COLS = min(1024, _power_of_two(N))
        parts = triton.cdiv(N, TILE_COLS)
        largest_partials = _Scratch(torch.float32, parts * grid_x)

        ALIGN_N = _alignment(N, 16)
        partial_stage = _Stage(
            row_max__partial,
            (parts * grid_x,),
            x_ptr,
            N,
            lowest,
            largest_partials,
            grid_x,
            TILE_COLS=TILE_COLS,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=row_max__partial_tuned,
            index64=row_max__partial__index64,
        )

        TILE_ROW = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        final_stage = _Stage(
            row_max__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
            y_ptr,
            largest_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_ROW=TILE_ROW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=row_max__final_tuned,
            index64=row_max__final__index64,
        )
        return [partial_stage, final_stage]
    return None



# block-axis: TILE_RUN indices of `run` in `add_bias__runs`
# collapse-axes: runs of `column` share tiles, where each `row` is a whole number of them
# block-axis: TILE_ROW indices of `row` in `add_bias__tiled`
# block-axis: TILE_COLUMN indices of `column` in `add_bias__tiled`


@triton.jit
def add_bias__runs(
    x_ptr,
    bias_ptr,
    y_ptr,
    grid_y,
    column_runs,
    TILE_RUN: tl.constexpr,
    RUN_COLUMN: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_COLUMN` indices of `run` and `lane`.

    Launched in the place of `add_bias`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    run_tile = tl.program_id(0)
    lane = tl.arange(0, RUN_COLUMN)[None, :]
    # collapse-axes: a run is RUN_COLUMN neighbouring column of one row.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < grid_y * column_runs

    flat = run * RUN_COLUMN + lane
    column = (run % column_runs) * RUN_COLUMN + lane
    tl.store(
        y_ptr + flat,
        tl.load(x_ptr + flat, mask=run_mask).to(D)
        + tl.load(bias_ptr + column, mask=run_mask).to(D),
        mask=run_mask,
    )


@triton.jit
def add_bias__tiled(
    x_ptr,
    bias_ptr,
    y_ptr,
    N,
    grid_x,
    grid_y,
    TILE_ROW: tl.constexpr,
    TILE_COLUMN: tl.constexpr,
    ALIGN_N: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_ROW` by `TILE_COLUMN` indices of `row` and `column`.

    Launched in the place of `add_bias`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    column_tiles = tl.cdiv(grid_x, TILE_COLUMN)
    column_tile = pid % column_tiles
    row_tile = pid // column_tiles
    # block-axis: a program does TILE_COLUMN indices of column.
    column = column_tile * TILE_COLUMN + tl.arange(0, TILE_COLUMN)[None, :]
    column_mask = column < grid_x
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    mask = column_mask & (row < grid_y)

    at = row * N + column
    tl.store(
        y_ptr + at,
        tl.load(x_ptr + at, mask=mask).to(D) + tl.load(bias_ptr + column, mask=column_mask).to(D),
        mask=mask,
    )


def _plan_add_bias(grid, x_ptr, bias_ptr, y_ptr, N, *, D):
    """What is launched in the place of `add_bias`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if grid_z > 1:
        return None

    # Runs of column, an access of a thread each, share tiles, which end with no row but the last.
    if (
        grid_x == N
        and _alignment(grid_x, 16 // D.itemsize) == 16 // D.itemsize
        and (
            D.itemsize >= 4
            or min(512 // D.itemsize, grid_x) >= 2 * _alignment(grid_x, 512 // D.itemsize)
        )
    ):
        RUN_COLUMN = 16 // D.itemsize
        column_runs = grid_x // RUN_COLUMN
        TILE_RUN = min(
            min(1024, 2048 // D.itemsize) // RUN_COLUMN, _power_of_two(grid_y * column_runs)
        )
        return [
            _Stage(
                add_bias__runs,
                lambda meta: (triton.cdiv(grid_y * column_runs, meta["TILE_RUN"]),),
                x_ptr,
                bias_ptr,
                y_ptr,
                grid_y,
                column_runs,
                TILE_RUN=TILE_RUN,
                RUN_COLUMN=RUN_COLUMN,
                num_warps=4,
                tuned=add_bias__runs_tuned,
                index64=add_bias__runs__index64,
            )
        ]

    TILE_COLUMN = min(512 // D.itemsize, _power_of_two(grid_x))
    TILE_ROW = min(
        {1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_COLUMN, _power_of_two(grid_y)
    )
    ALIGN_N = _alignment(N, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            add_bias__tiled,
            lambda meta: (
                triton.cdiv(grid_x, meta["TILE_COLUMN"]) * triton.cdiv(grid_y, meta["TILE_ROW"]),
            ),
            x_ptr,
            bias_ptr,
            y_ptr,
            N,
            grid_x,
            grid_y,
            TILE_ROW=TILE_ROW,
            TILE_COLUMN=TILE_COLUMN,
            ALIGN_N=ALIGN_N,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=add_bias__tiled_tuned,
            index64=add_bias__tiled__index64,
        )
    ]



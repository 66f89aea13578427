# block-axis: TILE_RUN indices of `run` in `quantise_columns__runs`
# collapse-axes: runs of `c` share tiles, where each `rows` is a whole number of them
# spread-loop: a program for each tile of TILE_ROWS indices of `rows` in `quantise_columns__tiled`
# block-axis: TILE_C indices of `c` in `quantise_columns__tiled`


@triton.jit
def quantise_columns__runs(
    x_ptr,
    scale_ptr,
    y_ptr,
    N,
    c_runs,
    TILE_RUN: tl.constexpr,
    RUN_C: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_C` indices of `run` and `lane`.

    Launched in the place of `quantise_columns`.
    """
    run_tile = tl.program_id(0)
    lane = tl.arange(0, RUN_C)[None, :]
    # collapse-axes: a run is RUN_C neighbouring c of one rows.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < N * c_runs

    flat = run * RUN_C + lane
    c = (run % c_runs) * RUN_C + lane
    scale = tl.load(scale_ptr + c, mask=run_mask)
    x = tl.load(x_ptr + flat, mask=run_mask)
    y = tl.floor(x / scale + 0.5).to(tl.int32)
    tl.store(y_ptr + flat, y, mask=run_mask)


@triton.jit
def quantise_columns__tiled(
    x_ptr,
    scale_ptr,
    y_ptr,
    N,
    C,
    grid_x,
    TILE_ROWS: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_ROWS` by `TILE_C` indices of `rows` and `c`.

    Launched in the place of `quantise_columns`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    rows_tile = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    # spread-loop: a program does TILE_ROWS indices of rows.
    rows = rows_tile * TILE_ROWS + tl.arange(0, TILE_ROWS)[:, None]
    mask = c_mask & (rows < N)

    scale = tl.load(scale_ptr + c, mask=c_mask)
    x = tl.load(x_ptr + (rows * C + c), mask=mask)
    y = tl.floor(x / scale + 0.5).to(tl.int32)
    tl.store(y_ptr + (rows * C + c), y, mask=mask)


def _plan_quantise_columns(grid, x_ptr, scale_ptr, y_ptr, N, C, BLOCK):
    """What is launched in the place of `quantise_columns`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Runs of c, an access of a thread each, share tiles, which end with no rows but the last.
    if (
        grid_x == C
        and _alignment(grid_x, 16 // max(4, 4)) == 16 // max(4, 4)
        and (
            max(4, 4) >= 4
            or min(256 // max(4, 4), grid_x) >= 2 * _alignment(grid_x, 256 // max(4, 4))
        )
    ):
        RUN_C = 16 // max(4, 4)
        c_runs = grid_x // RUN_C
        TILE_RUN = min(min(1024, 2048 // max(4, 4)) // RUN_C, _power_of_two(N * c_runs))
        return [
            _Stage(
                quantise_columns__runs,
                lambda meta: (triton.cdiv(N * c_runs, meta["TILE_RUN"]),),
                x_ptr,
                scale_ptr,
                y_ptr,
                N,
                c_runs,
                TILE_RUN=TILE_RUN,
                RUN_C=RUN_C,
                num_warps=4,
                tuned=quantise_columns__runs_tuned,
                index64=quantise_columns__runs__index64,
            )
        ]

    TILE_C = min(256 // max(4, 4), _power_of_two(grid_x))
    TILE_ROWS = min({1: 2048, 2: 2048, 4: 512, 8: 256}[max(4, 4)] // TILE_C, _power_of_two(N))
    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            quantise_columns__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * triton.cdiv(N, meta["TILE_ROWS"]),),
            x_ptr,
            scale_ptr,
            y_ptr,
            N,
            C,
            grid_x,
            TILE_ROWS=TILE_ROWS,
            TILE_C=TILE_C,
            ALIGN_C=ALIGN_C,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=quantise_columns__tiled_tuned,
            index64=quantise_columns__tiled__index64,
        )
    ]



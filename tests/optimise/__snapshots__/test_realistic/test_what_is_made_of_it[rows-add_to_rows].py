# block-axis: TILE_RUN indices of `run` in `add_to_rows__runs`
# collapse-axes: runs of `i` share tiles, where each `row` is a whole number of them
# block-axis: TILE_ROW indices of `row` in `add_to_rows__tiled`
# vectorise-loop: TILE_I indices of `i` in `add_to_rows__tiled`
# spread-loop: a program for each tile of TILE_I indices of `i` in `add_to_rows__tiled`


@triton.jit
def add_to_rows__runs(
    x_ptr,
    bias_ptr,
    y_ptr,
    grid_x,
    i_runs,
    TILE_RUN: tl.constexpr,
    RUN_I: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_I` indices of `run` and `lane`.

    Launched in the place of `add_to_rows`.
    """
    D: tl.constexpr = (
        tl.float32
        if x_ptr.dtype.element_ty == tl.float16 or x_ptr.dtype.element_ty == tl.bfloat16
        else x_ptr.dtype.element_ty
    )

    run_tile = tl.program_id(0)
    lane = tl.arange(0, RUN_I)[None, :]
    # collapse-axes: a run is RUN_I neighbouring i of one row.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < grid_x * i_runs

    flat = run * RUN_I + lane
    i = (run % i_runs) * RUN_I + lane
    tl.store(
        y_ptr + flat,
        tl.load(x_ptr + flat, mask=run_mask).to(D) + tl.load(bias_ptr + i, mask=run_mask).to(D),
        mask=run_mask,
    )


@triton.jit
def add_to_rows__tiled(
    x_ptr,
    bias_ptr,
    y_ptr,
    N,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program computes `TILE_ROW` by `TILE_I` indices of `row` and `i`.

    Launched in the place of `add_to_rows`.
    """
    D: tl.constexpr = (
        tl.float32
        if x_ptr.dtype.element_ty == tl.float16 or x_ptr.dtype.element_ty == tl.bfloat16
        else x_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    i_tiles = tl.cdiv(N, TILE_I)
    i_tile = pid % i_tiles
    row_tile = pid // i_tiles
    # spread-loop: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)[None, :]
    i_mask = i < N
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    mask = i_mask & (row < grid_x)

    tl.store(
        y_ptr + (row * N + i),
        tl.load(x_ptr + (row * N + i), mask=mask).to(D) + tl.load(bias_ptr + i, mask=i_mask).to(D),
        mask=mask,
    )


def _plan_add_to_rows(grid, x_ptr, bias_ptr, y_ptr, N, *, D):
    """What is launched in the place of `add_to_rows`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Runs of i, an access of a thread each, share tiles, which end with no row but the last.
    if _alignment(N, 16 // D.itemsize) == 16 // D.itemsize and (
        D.itemsize >= 4 or min(512 // D.itemsize, N) >= 2 * _alignment(N, 512 // D.itemsize)
    ):
        RUN_I = 16 // D.itemsize
        i_runs = N // RUN_I
        TILE_RUN = min(min(1024, 2048 // D.itemsize) // RUN_I, _power_of_two(grid_x * i_runs))
        return [
            _Stage(
                add_to_rows__runs,
                lambda meta: (triton.cdiv(grid_x * i_runs, meta["TILE_RUN"]),),
                x_ptr,
                bias_ptr,
                y_ptr,
                grid_x,
                i_runs,
                TILE_RUN=TILE_RUN,
                RUN_I=RUN_I,
                num_warps=4,
                tuned=add_to_rows__runs_tuned,
                index64=add_to_rows__runs__index64,
            )
        ]

    TILE_I = min(512 // D.itemsize, _power_of_two(N))
    TILE_ROW = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_I, _power_of_two(grid_x))
    ALIGN_N = _alignment(N, 16)
    return [
        _Stage(
            add_to_rows__tiled,
            lambda meta: (triton.cdiv(N, meta["TILE_I"]) * triton.cdiv(grid_x, meta["TILE_ROW"]),),
            x_ptr,
            bias_ptr,
            y_ptr,
            N,
            grid_x,
            TILE_ROW=TILE_ROW,
            TILE_I=TILE_I,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=add_to_rows__tiled_tuned,
            index64=add_to_rows__tiled__index64,
        )
    ]



# block-axis: TILE_RUN indices of `run` in `add_positions__runs`
# collapse-axes: runs of `cols` share tiles, where each `s` is a whole number of them
# block-axis: TILE_B indices of `b` in `add_positions__flat`
# block-axis: TILE_FLAT indices of `flat` in `add_positions__flat`
# collapse-axes: `s` and `cols` share lanes where `cols` has fewer than 1024 indices, or starts where accesses are narrow
# block-axis: TILE_B indices of `b` in `add_positions__tiled`
# spread-loop: a program for each tile of TILE_COLS indices of `cols` in `add_positions__tiled`


@triton.jit
def add_positions__runs(
    x_ptr,
    position_ptr,
    y_ptr,
    S,
    C,
    grid_x,
    cols_runs,
    TILE_RUN: tl.constexpr,
    RUN_COLS: tl.constexpr,
    ALIGN_S: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_COLS` indices of `run` and `lane`.

    Launched in the place of `add_positions`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    S = (S // ALIGN_S) * ALIGN_S
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    run_tiles = tl.cdiv(grid_x * cols_runs, TILE_RUN)
    run_tile = pid % run_tiles
    b = pid // run_tiles
    lane = tl.arange(0, RUN_COLS)[None, :]
    # collapse-axes: a run is RUN_COLS neighbouring cols of one s.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < grid_x * cols_runs

    flat = run * RUN_COLS + lane
    at = b * S * C + flat
    tl.store(
        y_ptr + at,
        tl.load(x_ptr + at, mask=run_mask).to(D)
        + tl.load(position_ptr + flat, mask=run_mask).to(D),
        mask=run_mask,
    )


@triton.jit
def add_positions__flat(
    x_ptr,
    position_ptr,
    y_ptr,
    S,
    C,
    grid_x,
    grid_y,
    TILE_B: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_S: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_B` by `TILE_FLAT` indices of `b` and `flat`.

    Launched in the place of `add_positions`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    S = (S // ALIGN_S) * ALIGN_S
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(grid_x * C, TILE_FLAT)
    flat_tile = pid % flat_tiles
    b_tile = pid // flat_tiles
    # collapse-axes: flat counts all cols of each s.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < grid_x * C
    # block-axis: a program does TILE_B indices of b.
    b = b_tile * TILE_B + tl.arange(0, TILE_B)[:, None]
    mask = flat_mask & (b < grid_y)

    at = b * S * C + flat
    tl.store(
        y_ptr + at,
        tl.load(x_ptr + at, mask=mask).to(D) + tl.load(position_ptr + flat, mask=flat_mask).to(D),
        mask=mask,
    )


@triton.jit
def add_positions__tiled(
    x_ptr,
    position_ptr,
    y_ptr,
    S,
    C,
    grid_x,
    grid_y,
    TILE_B: tl.constexpr,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program computes `TILE_B` by `TILE_COLS` indices of `b` and `cols`.

    Launched in the place of `add_positions`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(C, TILE_COLS)
    cols_tile = pid % cols_tiles
    s = (pid // cols_tiles) % grid_x
    b_tile = pid // (cols_tiles * grid_x)
    # spread-loop: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)[None, :]
    cols_mask = cols < C
    # block-axis: a program does TILE_B indices of b.
    b = b_tile * TILE_B + tl.arange(0, TILE_B)[:, None]
    mask = cols_mask & (b < grid_y)

    at = cols + (b * S + s) * C
    tl.store(
        y_ptr + at,
        tl.load(x_ptr + at, mask=mask).to(D)
        + tl.load(position_ptr + (cols + s * C), mask=cols_mask).to(D),
        mask=mask,
    )


def _plan_add_positions(grid, x_ptr, position_ptr, y_ptr, S, C, BLOCK, *, D):
    """What is launched in the place of `add_positions`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or grid_z > 1:
        return None

    # Runs of cols, an access of a thread each, share tiles, which end with no s but the last.
    if _alignment(C, 16 // D.itemsize) == 16 // D.itemsize and grid_x * C >= min(
        8192, 16384 // D.itemsize
    ):
        RUN_COLS = 16 // D.itemsize
        cols_runs = C // RUN_COLS
        TILE_RUN = min(min(1024, 2048 // D.itemsize) // RUN_COLS, _power_of_two(grid_x * cols_runs))
        ALIGN_S = _alignment(S, 16)
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                add_positions__runs,
                lambda meta: (triton.cdiv(grid_x * cols_runs, meta["TILE_RUN"]) * grid_y,),
                x_ptr,
                position_ptr,
                y_ptr,
                S,
                C,
                grid_x,
                cols_runs,
                TILE_RUN=TILE_RUN,
                RUN_COLS=RUN_COLS,
                ALIGN_S=ALIGN_S,
                ALIGN_C=ALIGN_C,
                num_warps=4,
                tuned=add_positions__runs_tuned,
                index64=add_positions__runs__index64,
            )
        ]

    # Short cols, and those that start where accesses are narrow, share the lanes of tiles with s.
    if C < 1024 or _alignment(grid_x * C, 16 // D.itemsize) >= 2 * _alignment(C, 16 // D.itemsize):
        TILE_FLAT = min(512 // D.itemsize, _power_of_two(grid_x * C))
        TILE_B = min(
            {1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_FLAT, _power_of_two(grid_y)
        )
        ALIGN_S = _alignment(S, 16)
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                add_positions__flat,
                lambda meta: (
                    triton.cdiv(grid_x * C, meta["TILE_FLAT"])
                    * triton.cdiv(grid_y, meta["TILE_B"]),
                ),
                x_ptr,
                position_ptr,
                y_ptr,
                S,
                C,
                grid_x,
                grid_y,
                TILE_B=TILE_B,
                TILE_FLAT=TILE_FLAT,
                ALIGN_S=ALIGN_S,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=4,
                tuned=add_positions__flat_tuned,
                index64=add_positions__flat__index64,
            )
        ]

    TILE_COLS = min(512 // D.itemsize, _power_of_two(C))
    TILE_B = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_COLS, _power_of_two(grid_y))
    ALIGN_C = _alignment(C, 16)
    return [
        _Stage(
            add_positions__tiled,
            lambda meta: (
                triton.cdiv(C, meta["TILE_COLS"]) * grid_x * triton.cdiv(grid_y, meta["TILE_B"]),
            ),
            x_ptr,
            position_ptr,
            y_ptr,
            S,
            C,
            grid_x,
            grid_y,
            TILE_B=TILE_B,
            TILE_COLS=TILE_COLS,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=add_positions__tiled_tuned,
            index64=add_positions__tiled__index64,
        )
    ]



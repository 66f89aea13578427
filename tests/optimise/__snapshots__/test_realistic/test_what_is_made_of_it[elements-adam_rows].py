# block-axis: TILE_RUN indices of `run` in `adam_rows__runs`
# collapse-axes: runs of `cols` share tiles, where each `row` is a whole number of them
# block-axis: TILE_FLAT indices of `flat` in `adam_rows__flat`
# collapse-axes: `row` and `cols` share lanes where `cols` has fewer than 1024 indices, or starts where accesses are narrow
# spread-loop: a program for each tile of TILE_COLS indices of `cols` in `adam_rows__tiled`


@triton.jit
def adam_rows__runs(
    p_ptr,
    g_ptr,
    m_ptr,
    v_ptr,
    rate,
    beta1,
    beta2,
    eps,
    grid_x,
    cols_runs,
    TILE_RUN: tl.constexpr,
    RUN_COLS: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_COLS` indices of `run` and `lane`.

    Launched in the place of `adam_rows`.
    """
    D: tl.constexpr = (
        p_ptr.dtype.element_ty if p_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    rate = tl.cast(rate, tl.float32)
    beta1 = tl.cast(beta1, tl.float32)
    beta2 = tl.cast(beta2, tl.float32)
    eps = tl.cast(eps, tl.float32)

    run_tile = tl.program_id(0)
    lane = tl.arange(0, RUN_COLS)[None, :]
    # collapse-axes: a run is RUN_COLS neighbouring cols of one row.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < grid_x * cols_runs

    flat = run * RUN_COLS + lane
    g = tl.load(g_ptr + flat, mask=run_mask).to(tl.float32)
    m = tl.load(m_ptr + flat, mask=run_mask) * beta1 + g * (1.0 - beta1)
    v = tl.load(v_ptr + flat, mask=run_mask) * beta2 + g * g * (1.0 - beta2)
    tl.store(m_ptr + flat, m, mask=run_mask)
    tl.store(v_ptr + flat, v, mask=run_mask)
    step = rate * m / (tl.sqrt(v) + eps)
    tl.store(p_ptr + flat, tl.load(p_ptr + flat, mask=run_mask).to(D) - step.to(D), mask=run_mask)


@triton.jit
def adam_rows__flat(
    p_ptr,
    g_ptr,
    m_ptr,
    v_ptr,
    N,
    rate,
    beta1,
    beta2,
    eps,
    grid_x,
    TILE_FLAT: tl.constexpr,
    ALIGN_N: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_FLAT` indices of `flat`.

    Launched in the place of `adam_rows`.
    """
    D: tl.constexpr = (
        p_ptr.dtype.element_ty if p_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    rate = tl.cast(rate, tl.float32)
    beta1 = tl.cast(beta1, tl.float32)
    beta2 = tl.cast(beta2, tl.float32)
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    flat_tile = tl.program_id(0)
    # collapse-axes: flat counts all cols of each row.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)
    flat_mask = flat < grid_x * N

    g = tl.load(g_ptr + flat, mask=flat_mask).to(tl.float32)
    m = tl.load(m_ptr + flat, mask=flat_mask) * beta1 + g * (1.0 - beta1)
    v = tl.load(v_ptr + flat, mask=flat_mask) * beta2 + g * g * (1.0 - beta2)
    tl.store(m_ptr + flat, m, mask=flat_mask)
    tl.store(v_ptr + flat, v, mask=flat_mask)
    step = rate * m / (tl.sqrt(v) + eps)
    tl.store(p_ptr + flat, tl.load(p_ptr + flat, mask=flat_mask).to(D) - step.to(D), mask=flat_mask)


@triton.jit
def adam_rows__tiled(
    p_ptr,
    g_ptr,
    m_ptr,
    v_ptr,
    N,
    rate,
    beta1,
    beta2,
    eps,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program computes `TILE_COLS` indices of `cols`.

    Launched in the place of `adam_rows`.
    """
    D: tl.constexpr = (
        p_ptr.dtype.element_ty if p_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    rate = tl.cast(rate, tl.float32)
    beta1 = tl.cast(beta1, tl.float32)
    beta2 = tl.cast(beta2, tl.float32)
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(N, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # spread-loop: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < N

    at = cols + row * N
    g = tl.load(g_ptr + at, mask=cols_mask).to(tl.float32)
    m = tl.load(m_ptr + at, mask=cols_mask) * beta1 + g * (1.0 - beta1)
    v = tl.load(v_ptr + at, mask=cols_mask) * beta2 + g * g * (1.0 - beta2)
    tl.store(m_ptr + at, m, mask=cols_mask)
    tl.store(v_ptr + at, v, mask=cols_mask)
    step = rate * m / (tl.sqrt(v) + eps)
    tl.store(p_ptr + at, tl.load(p_ptr + at, mask=cols_mask).to(D) - step.to(D), mask=cols_mask)


def _plan_adam_rows(grid, p_ptr, g_ptr, m_ptr, v_ptr, N, rate, beta1, beta2, eps, BLOCK, *, D):
    """What is launched in the place of `adam_rows`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Runs of cols, an access of a thread each, share tiles, which end with no row but the last.
    if _alignment(N, 16 // max(D.itemsize, 4)) == 16 // max(D.itemsize, 4):
        RUN_COLS = 16 // max(D.itemsize, 4)
        cols_runs = N // RUN_COLS
        TILE_RUN = min(
            min(1024, 2048 // max(D.itemsize, 4)) // RUN_COLS, _power_of_two(grid_x * cols_runs)
        )
        return [
            _Stage(
                adam_rows__runs,
                lambda meta: (triton.cdiv(grid_x * cols_runs, meta["TILE_RUN"]),),
                p_ptr,
                g_ptr,
                m_ptr,
                v_ptr,
                rate,
                beta1,
                beta2,
                eps,
                grid_x,
                cols_runs,
                TILE_RUN=TILE_RUN,
                RUN_COLS=RUN_COLS,
                num_warps=4,
                tuned=adam_rows__runs_tuned,
                index64=adam_rows__runs__index64,
            )
        ]

    # Short cols, and those that start where accesses are narrow, share the lanes of tiles with row.
    if N < 1024 or _alignment(grid_x * N, 16 // max(D.itemsize, 4)) >= 2 * _alignment(
        N, 16 // max(D.itemsize, 4)
    ):
        TILE_FLAT = min(512, _power_of_two(grid_x * N))
        ALIGN_N = _alignment(N, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                adam_rows__flat,
                lambda meta: (triton.cdiv(grid_x * N, meta["TILE_FLAT"]),),
                p_ptr,
                g_ptr,
                m_ptr,
                v_ptr,
                N,
                rate,
                beta1,
                beta2,
                eps,
                grid_x,
                TILE_FLAT=TILE_FLAT,
                ALIGN_N=ALIGN_N,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=4,
                tuned=adam_rows__flat_tuned,
                index64=adam_rows__flat__index64,
            )
        ]

    TILE_COLS = min(512, _power_of_two(N))
    ALIGN_N = _alignment(N, 16)
    return [
        _Stage(
            adam_rows__tiled,
            lambda meta: (triton.cdiv(N, meta["TILE_COLS"]) * grid_x,),
            p_ptr,
            g_ptr,
            m_ptr,
            v_ptr,
            N,
            rate,
            beta1,
            beta2,
            eps,
            TILE_COLS=TILE_COLS,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=adam_rows__tiled_tuned,
            index64=adam_rows__tiled__index64,
        )
    ]



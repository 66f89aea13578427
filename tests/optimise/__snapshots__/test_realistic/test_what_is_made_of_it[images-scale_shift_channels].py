# split-index: `i` is taken apart into `n` and `p` below HW
# block-axis: TILE_RUN indices of `run` in `scale_shift_channels__runs`
# collapse-axes: runs of `p` share tiles, where each `c` is a whole number of them
# vectorise-loop: TILE_N indices of `n` in `scale_shift_channels__flat`
# spread-loop: a program for each tile of TILE_N indices of `n` in `scale_shift_channels__flat`
# block-axis: TILE_FLAT indices of `flat` in `scale_shift_channels__flat`
# collapse-axes: `c` and `p` share lanes where `p` has fewer than 1024 indices, or starts where accesses are narrow
# vectorise-loop: TILE_N indices of `n` in `scale_shift_channels__tiled`
# spread-loop: a program for each tile of TILE_N indices of `n` in `scale_shift_channels__tiled`
# vectorise-loop: TILE_P indices of `p` in `scale_shift_channels__tiled`
# spread-loop: a program for each tile of TILE_P indices of `p` in `scale_shift_channels__tiled`


@triton.jit
def scale_shift_channels__runs(
    x_ptr,
    scale_ptr,
    shift_ptr,
    y_ptr,
    C,
    HW,
    grid_x,
    p_runs,
    TILE_RUN: tl.constexpr,
    RUN_P: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_P` indices of `run` and `lane`.

    Launched in the place of `scale_shift_channels`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    run_tiles = tl.cdiv(grid_x * p_runs, TILE_RUN)
    run_tile = pid % run_tiles
    n = pid // run_tiles
    lane = tl.arange(0, RUN_P)[None, :]
    # collapse-axes: a run is RUN_P neighbouring p of one c.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < grid_x * p_runs

    flat = run * RUN_P + lane
    c = run // p_runs
    scale = tl.load(scale_ptr + c, mask=run_mask).to(D)
    shift = tl.load(shift_ptr + c, mask=run_mask).to(D)
    at = n * C * HW + flat
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=run_mask).to(D) * scale + shift, mask=run_mask)


@triton.jit
def scale_shift_channels__flat(
    x_ptr,
    scale_ptr,
    shift_ptr,
    y_ptr,
    N,
    C,
    HW,
    grid_x,
    TILE_N: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_HW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_N` by `TILE_FLAT` indices of `n` and `flat`.

    Launched in the place of `scale_shift_channels`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    HW = (HW // ALIGN_HW) * ALIGN_HW
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(grid_x * HW, TILE_FLAT)
    flat_tile = pid % flat_tiles
    n_tile = pid // flat_tiles
    # collapse-axes: flat counts all p of each c.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < grid_x * HW
    # spread-loop: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    mask = flat_mask & (n < N)

    c = flat // HW
    scale = tl.load(scale_ptr + c, mask=flat_mask).to(D)
    shift = tl.load(shift_ptr + c, mask=flat_mask).to(D)
    at = n * C * HW + flat
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask).to(D) * scale + shift, mask=mask)


@triton.jit
def scale_shift_channels__tiled(
    x_ptr,
    scale_ptr,
    shift_ptr,
    y_ptr,
    N,
    C,
    HW,
    grid_x,
    TILE_N: tl.constexpr,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program computes `TILE_N` by `TILE_P` indices of `n` and `p`.

    Launched in the place of `scale_shift_channels`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    p_tiles = tl.cdiv(HW, TILE_P)
    p_tile = pid % p_tiles
    c = (pid // p_tiles) % grid_x
    n_tile = pid // (p_tiles * grid_x)
    # spread-loop: a program does TILE_P indices of p.
    p = p_tile * TILE_P + tl.arange(0, TILE_P)[None, :]
    # spread-loop: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    mask = (p < HW) & (n < N)

    scale = tl.load(scale_ptr + c).to(D)
    shift = tl.load(shift_ptr + c).to(D)
    at = (n * C + c) * HW + p
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask).to(D) * scale + shift, mask=mask)


def _plan_scale_shift_channels(grid, x_ptr, scale_ptr, shift_ptr, y_ptr, N, C, HW, *, D):
    """What is launched in the place of `scale_shift_channels`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or C < 1 or HW < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Runs of p, an access of a thread each, share tiles, which end with no c but the last.
    if _alignment(HW, 16 // D.itemsize) == 16 // D.itemsize and grid_x * HW >= min(
        8192, 16384 // D.itemsize
    ):
        RUN_P = 16 // D.itemsize
        p_runs = HW // RUN_P
        TILE_RUN = min(min(1024, 2048 // D.itemsize) // RUN_P, _power_of_two(grid_x * p_runs))
        ALIGN_C = _alignment(C, 16)
        ALIGN_HW = _alignment(HW, 16)
        return [
            _Stage(
                scale_shift_channels__runs,
                lambda meta: (triton.cdiv(grid_x * p_runs, meta["TILE_RUN"]) * N,),
                x_ptr,
                scale_ptr,
                shift_ptr,
                y_ptr,
                C,
                HW,
                grid_x,
                p_runs,
                TILE_RUN=TILE_RUN,
                RUN_P=RUN_P,
                ALIGN_C=ALIGN_C,
                ALIGN_HW=ALIGN_HW,
                num_warps=4,
                tuned=scale_shift_channels__runs_tuned,
                index64=scale_shift_channels__runs__index64,
            )
        ]

    # Short p, and those that start where accesses are narrow, share the lanes of tiles with c.
    if HW < 1024 or _alignment(grid_x * HW, 16 // D.itemsize) >= 2 * _alignment(
        HW, 16 // D.itemsize
    ):
        TILE_FLAT = min(256 // D.itemsize, _power_of_two(grid_x * HW))
        TILE_N = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_FLAT, _power_of_two(N))
        ALIGN_C = _alignment(C, 16)
        ALIGN_HW = _alignment(HW, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                scale_shift_channels__flat,
                lambda meta: (
                    triton.cdiv(grid_x * HW, meta["TILE_FLAT"]) * triton.cdiv(N, meta["TILE_N"]),
                ),
                x_ptr,
                scale_ptr,
                shift_ptr,
                y_ptr,
                N,
                C,
                HW,
                grid_x,
                TILE_N=TILE_N,
                TILE_FLAT=TILE_FLAT,
                ALIGN_C=ALIGN_C,
                ALIGN_HW=ALIGN_HW,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=4,
                tuned=scale_shift_channels__flat_tuned,
                index64=scale_shift_channels__flat__index64,
            )
        ]

    TILE_P = min(min(512, 2048 // D.itemsize), _power_of_two(HW))
    TILE_N = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_P, _power_of_two(N))
    ALIGN_HW = _alignment(HW, 16)
    return [
        _Stage(
            scale_shift_channels__tiled,
            lambda meta: (
                triton.cdiv(HW, meta["TILE_P"]) * grid_x * triton.cdiv(N, meta["TILE_N"]),
            ),
            x_ptr,
            scale_ptr,
            shift_ptr,
            y_ptr,
            N,
            C,
            HW,
            grid_x,
            TILE_N=TILE_N,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=scale_shift_channels__tiled_tuned,
            index64=scale_shift_channels__tiled__index64,
        )
    ]



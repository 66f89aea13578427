# block-axis: TILE_RUN indices of `run` in `channel_affine__runs`
# collapse-axes: runs of `c` share tiles, where each `n` is a whole number of them
# vectorise-loop: TILE_N indices of `n` in `channel_affine__tiled`
# spread-loop: a program for each tile of TILE_N indices of `n` in `channel_affine__tiled`
# block-axis: TILE_C indices of `c` in `channel_affine__tiled`


@triton.jit
def channel_affine__runs(
    x_ptr,
    weight_ptr,
    bias_ptr,
    y_ptr,
    N,
    c_runs,
    TILE_RUN: tl.constexpr,
    RUN_C: tl.constexpr,
):
    """Each program computes `TILE_RUN` by `RUN_C` indices of `run` and `lane`.

    Launched in the place of `channel_affine`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    run_tile = tl.program_id(0)
    lane = tl.arange(0, RUN_C)[None, :]
    # collapse-axes: a run is RUN_C neighbouring c of one n.
    # block-axis: a program does TILE_RUN indices of run.
    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]
    run_mask = run < N * c_runs

    flat = run * RUN_C + lane
    c = (run % c_runs) * RUN_C + lane
    weight = tl.load(weight_ptr + c, mask=run_mask).to(D)
    bias = tl.load(bias_ptr + c, mask=run_mask).to(D)
    tl.store(
        y_ptr + flat, tl.load(x_ptr + flat, mask=run_mask).to(D) * weight + bias, mask=run_mask
    )


@triton.jit
def channel_affine__tiled(
    x_ptr,
    weight_ptr,
    bias_ptr,
    y_ptr,
    N,
    C,
    grid_x,
    TILE_N: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_N` by `TILE_C` indices of `n` and `c`.

    Launched in the place of `channel_affine`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    n_tile = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    # spread-loop: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    mask = c_mask & (n < N)

    weight = tl.load(weight_ptr + c, mask=c_mask).to(D)
    bias = tl.load(bias_ptr + c, mask=c_mask).to(D)
    at = n * C + c
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask).to(D) * weight + bias, mask=mask)


def _plan_channel_affine(grid, x_ptr, weight_ptr, bias_ptr, y_ptr, N, C, *, D):
    """What is launched in the place of `channel_affine`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Runs of c, an access of a thread each, share tiles, which end with no n but the last.
    if (
        grid_x == C
        and _alignment(grid_x, 16 // D.itemsize) == 16 // D.itemsize
        and (
            D.itemsize >= 4
            or min(256 // D.itemsize, grid_x) >= 2 * _alignment(grid_x, 256 // D.itemsize)
        )
    ):
        RUN_C = 16 // D.itemsize
        c_runs = grid_x // RUN_C
        TILE_RUN = min(min(1024, 2048 // D.itemsize) // RUN_C, _power_of_two(N * c_runs))
        return [
            _Stage(
                channel_affine__runs,
                lambda meta: (triton.cdiv(N * c_runs, meta["TILE_RUN"]),),
                x_ptr,
                weight_ptr,
                bias_ptr,
                y_ptr,
                N,
                c_runs,
                TILE_RUN=TILE_RUN,
                RUN_C=RUN_C,
                num_warps=4,
                tuned=channel_affine__runs_tuned,
                index64=channel_affine__runs__index64,
            )
        ]

    TILE_C = min(256 // D.itemsize, _power_of_two(grid_x))
    TILE_N = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_C, _power_of_two(N))
    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            channel_affine__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * triton.cdiv(N, meta["TILE_N"]),),
            x_ptr,
            weight_ptr,
            bias_ptr,
            y_ptr,
            N,
            C,
            grid_x,
            TILE_N=TILE_N,
            TILE_C=TILE_C,
            ALIGN_C=ALIGN_C,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=channel_affine__tiled_tuned,
            index64=channel_affine__tiled__index64,
        )
    ]



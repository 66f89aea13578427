# block-axis: TILE_N indices of `n` in `prelu_planes__flat`
# block-axis: TILE_C_P indices of `c_p` in `prelu_planes__flat`
# collapse-axes: `c` and `p` share lanes where `p` has fewer than 1024 indices
# block-axis: TILE_N indices of `n` in `prelu_planes__tiled`
# spread-loop: a program for each tile of TILE_BLOCK indices of `p` in `prelu_planes__tiled`


@triton.jit
def prelu_planes__flat(
    x_ptr,
    slope_ptr,
    y_ptr,
    C,
    HW,
    grid_x,
    grid_y,
    TILE_N: tl.constexpr,
    TILE_C_P: tl.constexpr,
):
    """Each index of `p`, independent of the others.

    The one launch in the place of `prelu_planes`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x_times_HW = tl.cdiv(grid_x * HW, TILE_C_P)
    c_p_tile = pid % cdiv_grid_x_times_HW
    n_tile = pid // cdiv_grid_x_times_HW
    # block-axis: a program does TILE_C_P indices of c_p.
    c_p = c_p_tile * TILE_C_P + tl.arange(0, TILE_C_P)[None, :]
    c_p_mask = c_p < grid_x * HW
    # block-axis: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    n_mask = n < grid_y
    # collapse-axes: c_p counts all p of each c.
    c = c_p // HW
    slope = tl.load(slope_ptr + c, mask=c_p_mask).to(D)
    x = tl.load(x_ptr + (HW * n * C + c_p), mask=c_p_mask & n_mask).to(D)
    tl.store(y_ptr + (HW * n * C + c_p), tl.where(x > 0.0, x, x * slope), mask=c_p_mask & n_mask)


@triton.jit
def prelu_planes__tiled(
    x_ptr,
    slope_ptr,
    y_ptr,
    C,
    HW,
    grid_x,
    grid_y,
    TILE_N: tl.constexpr,
    TILE_BLOCK: tl.constexpr,
):
    """Each index of `p`, independent of the others.

    The one launch in the place of `prelu_planes`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_HW = tl.cdiv(HW, TILE_BLOCK)
    p_tile = pid % cdiv_HW
    pid_over_cdiv_HW = pid // cdiv_HW
    c = pid_over_cdiv_HW % grid_x
    n_tile = pid_over_cdiv_HW // grid_x
    # spread-loop: a program does TILE_BLOCK indices of p.
    p = p_tile * TILE_BLOCK + tl.arange(0, TILE_BLOCK)[None, :]
    p_mask = p < HW
    # block-axis: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    n_mask = n < grid_y
    base = (n * C + c) * HW
    slope = tl.load(slope_ptr + c).to(D)
    x = tl.load(x_ptr + (p + base), mask=n_mask & p_mask).to(D)
    tl.store(y_ptr + (p + base), tl.where(x > 0.0, x, x * slope), mask=n_mask & p_mask)


def _plan_prelu_planes(grid, x_ptr, slope_ptr, y_ptr, C, HW, BLOCK, *, D):
    """The launches in the place of `prelu_planes`; None for the kernel itself."""
    grid_x, grid_y, grid_z = grid
    if HW < 1 or grid_z > 1:
        return None
    if HW <= 1023:
        return [
            _Stage(
                prelu_planes__flat,
                lambda meta: (
                    triton.cdiv(HW * grid_x, meta["TILE_C_P"])
                    * triton.cdiv(grid_y, meta["TILE_N"]),
                ),
                x_ptr,
                slope_ptr,
                y_ptr,
                C,
                HW,
                grid_x,
                grid_y,
                TILE_N=min(2048 // min(256, _power_of_two(HW * grid_x)), _power_of_two(grid_y)),
                TILE_C_P=min(256, _power_of_two(HW * grid_x)),
                num_warps=4,
                tuned=prelu_planes__flat_tuned,
            )
        ]
    return [
        _Stage(
            prelu_planes__tiled,
            lambda meta: (
                triton.cdiv(HW, meta["TILE_BLOCK"]) * grid_x * triton.cdiv(grid_y, meta["TILE_N"]),
            ),
            x_ptr,
            slope_ptr,
            y_ptr,
            C,
            HW,
            grid_x,
            grid_y,
            TILE_N=min(2048 // min(256, _power_of_two(HW)), _power_of_two(grid_y)),
            TILE_BLOCK=min(256, _power_of_two(HW)),
            num_warps=4,
            tuned=prelu_planes__tiled_tuned,
        )
    ]



# split-index: `i` is taken apart into `i_high` and `i_low` below HW
# vectorise-loop: TILE_I_HIGH indices of `i_high` in `group_norm_apply__tiled`
# spread-loop: a program for each tile of TILE_I_HIGH indices of `i_high` in `group_norm_apply__tiled`
# vectorise-loop: TILE_I_LOW indices of `i_low` in `group_norm_apply__tiled`
# spread-loop: a program for each tile of TILE_I_LOW indices of `i_low` in `group_norm_apply__tiled`


@triton.jit
def group_norm_apply__tiled(
    x_ptr,
    mean_ptr,
    rstd_ptr,
    weight_ptr,
    bias_ptr,
    y_ptr,
    G,
    K,
    HW,
    grid_x,
    grid_y,
    TILE_I_HIGH: tl.constexpr,
    TILE_I_LOW: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program computes `TILE_I_HIGH` by `TILE_I_LOW` indices of `i_high` and `i_low`.

    Launched in the place of `group_norm_apply`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    i_low_tiles = tl.cdiv(HW, TILE_I_LOW)
    i_low_tile = pid % i_low_tiles
    n = (pid // i_low_tiles) % grid_x
    g = (pid // (i_low_tiles * grid_x)) % grid_y
    i_high_tile = pid // (i_low_tiles * grid_x * grid_y)
    # spread-loop: a program does TILE_I_LOW indices of i_low.
    i_low = i_low_tile * TILE_I_LOW + tl.arange(0, TILE_I_LOW)[None, :]
    # spread-loop: a program does TILE_I_HIGH indices of i_high.
    i_high = i_high_tile * TILE_I_HIGH + tl.arange(0, TILE_I_HIGH)[:, None]
    i_high_mask = i_high < K
    mask = (i_low < HW) & i_high_mask

    group = n * G + g
    mean = tl.load(mean_ptr + group).to(D)
    rstd = tl.load(rstd_ptr + group).to(D)
    channel = g * K + i_high
    at = (group * K + i_high) * HW + i_low
    x = (tl.load(x_ptr + at, mask=mask).to(D) - mean) * rstd
    tl.store(
        y_ptr + at,
        x * tl.load(weight_ptr + channel, mask=i_high_mask).to(D)
        + tl.load(bias_ptr + channel, mask=i_high_mask).to(D),
        mask=mask,
    )


def _plan_group_norm_apply(
    grid, x_ptr, mean_ptr, rstd_ptr, weight_ptr, bias_ptr, y_ptr, G, K, HW, *, D
):
    """What is launched in the place of `group_norm_apply`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if K < 1 or HW < 1 or grid_z > 1:
        return None

    TILE_I_LOW = min(min(512, 2048 // D.itemsize), _power_of_two(HW))
    TILE_I_HIGH = min(
        {1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_I_LOW, _power_of_two(K)
    )
    ALIGN_HW = _alignment(HW, 16)
    return [
        _Stage(
            group_norm_apply__tiled,
            lambda meta: (
                triton.cdiv(HW, meta["TILE_I_LOW"])
                * grid_x
                * grid_y
                * triton.cdiv(K, meta["TILE_I_HIGH"]),
            ),
            x_ptr,
            mean_ptr,
            rstd_ptr,
            weight_ptr,
            bias_ptr,
            y_ptr,
            G,
            K,
            HW,
            grid_x,
            grid_y,
            TILE_I_HIGH=TILE_I_HIGH,
            TILE_I_LOW=TILE_I_LOW,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=group_norm_apply__tiled_tuned,
            index64=group_norm_apply__tiled__index64,
        )
    ]



# vectorise-loop: TILE_P indices of `p` in `channels_last__tiled`
# spread-loop: a program for each tile of TILE_P indices of `p` in `channels_last__tiled`
# block-axis: TILE_C indices of `c` in `channels_last__tiled`


@triton.jit
def channels_last__tiled(
    x_ptr,
    y_ptr,
    C,
    HW,
    grid_x,
    grid_y,
    TILE_P: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_P` by `TILE_C` indices of `p` and `c`.

    Launched in the place of `channels_last`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    n = (pid // c_tiles) % grid_y
    p_tile = pid // (c_tiles * grid_y)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    # spread-loop: a program does TILE_P indices of p.
    p = p_tile * TILE_P + tl.arange(0, TILE_P)[:, None]
    mask = (c < grid_x) & (p < HW)

    tl.store(
        y_ptr + ((n * HW + p) * C + c),
        tl.load(x_ptr + ((n * C + c) * HW + p), mask=mask),
        mask=mask,
    )


def _plan_channels_last(grid, x_ptr, y_ptr, C, HW, *, D):
    """What is launched in the place of `channels_last`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or HW < 1 or grid_z > 1:
        return None

    TILE_C = min(64, _power_of_two(grid_x))
    TILE_P = min(4096 // TILE_C, _power_of_two(HW))
    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            channels_last__tiled,
            lambda meta: (
                triton.cdiv(grid_x, meta["TILE_C"]) * grid_y * triton.cdiv(HW, meta["TILE_P"]),
            ),
            x_ptr,
            y_ptr,
            C,
            HW,
            grid_x,
            grid_y,
            TILE_P=TILE_P,
            TILE_C=TILE_C,
            ALIGN_C=ALIGN_C,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=channels_last__tiled_tuned,
            index64=channels_last__tiled__index64,
        )
    ]



# block-axis: TILE_I indices of `i` in `every_other__tiled`


@triton.jit
def every_other__tiled(
    x_ptr,
    y_ptr,
    grid_x,
    TILE_I: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_I` indices of `i`.

    Launched in the place of `every_other`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    i_tile = tl.program_id(0)
    # block-axis: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)
    i_mask = i < grid_x

    tl.store(y_ptr + i, tl.load(x_ptr + (2 * i + 1), mask=i_mask).to(tl.float32), mask=i_mask)


def _plan_every_other(grid, x_ptr, y_ptr):
    """What is launched in the place of `every_other`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if grid_y > 1 or grid_z > 1:
        return None

    TILE_I = min(512, _power_of_two(grid_x))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            every_other__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_I"]),),
            x_ptr,
            y_ptr,
            grid_x,
            TILE_I=TILE_I,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=every_other__tiled_tuned,
            index64=every_other__tiled__index64,
        )
    ]



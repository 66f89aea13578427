# block-axis: TILE_I indices of `i` in `transpose__tiled`


@triton.jit
def transpose__tiled(
    x_ptr,
    y_ptr,
    M,
    N,
    grid_x,
    TILE_I: tl.constexpr,
):
    """Each program computes `TILE_I` indices of `i`.

    Launched in the place of `transpose`.
    """
    pid = tl.program_id(0)
    i_tiles = tl.cdiv(grid_x, TILE_I)
    i_tile = pid % i_tiles
    j = pid // i_tiles
    # block-axis: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)
    i_mask = i < grid_x

    tl.store(y_ptr + (j * M + i), tl.load(x_ptr + (i * N + j), mask=i_mask), mask=i_mask)


def _plan_transpose(grid, x_ptr, y_ptr, M, N, *, D):
    """What is launched in the place of `transpose`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if grid_z > 1:
        return None

    TILE_I = min(512, _power_of_two(grid_x))
    return [
        _Stage(
            transpose__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_I"]) * grid_y,),
            x_ptr,
            y_ptr,
            M,
            N,
            grid_x,
            TILE_I=TILE_I,
            num_warps=4,
            tuned=transpose__tiled_tuned,
            index64=transpose__tiled__index64,
        )
    ]



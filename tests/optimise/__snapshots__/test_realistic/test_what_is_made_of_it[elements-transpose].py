# block-axis: TILE_J indices of `j` in `transpose__tiled`
# block-axis: TILE_I indices of `i` in `transpose__tiled`


@triton.jit
def transpose__tiled(
    x_ptr,
    y_ptr,
    M,
    N,
    grid_x,
    grid_y,
    TILE_J: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_M: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_J` by `TILE_I` indices of `j` and `i`.

    Launched in the place of `transpose`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    M = (M // ALIGN_M) * ALIGN_M
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    i_tiles = tl.cdiv(grid_x, TILE_I)
    i_tile = pid % i_tiles
    j_tile = pid // i_tiles
    # block-axis: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)[None, :]
    # block-axis: a program does TILE_J indices of j.
    j = j_tile * TILE_J + tl.arange(0, TILE_J)[:, None]
    mask = (i < grid_x) & (j < grid_y)

    tl.store(y_ptr + (j * M + i), tl.load(x_ptr + (i * N + j), mask=mask), mask=mask)


def _plan_transpose(grid, x_ptr, y_ptr, M, N, *, D):
    """What is launched in the place of `transpose`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if grid_z > 1:
        return None

    TILE_I = min(64, _power_of_two(grid_x))
    TILE_J = min(4096 // TILE_I, _power_of_two(grid_y))
    ALIGN_M = _alignment(M, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            transpose__tiled,
            lambda meta: (
                triton.cdiv(grid_x, meta["TILE_I"]) * triton.cdiv(grid_y, meta["TILE_J"]),
            ),
            x_ptr,
            y_ptr,
            M,
            N,
            grid_x,
            grid_y,
            TILE_J=TILE_J,
            TILE_I=TILE_I,
            ALIGN_M=ALIGN_M,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=transpose__tiled_tuned,
            index64=transpose__tiled__index64,
        )
    ]



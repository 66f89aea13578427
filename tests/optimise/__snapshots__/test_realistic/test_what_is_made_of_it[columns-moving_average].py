# block-axis: TILE_C indices of `c` in `moving_average__tiled`


@triton.jit
def moving_average__tiled(
    x_ptr,
    y_ptr,
    N,
    C,
    decay,
    grid_x,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program does what `TILE_C` programs of the kernel do.

    Launched in the place of `moving_average`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    # block-axis: a program does TILE_C indices of c.
    c = tl.program_id(0) * TILE_C + tl.arange(0, TILE_C)
    c_mask = c < grid_x

    keep = tl.full([1], decay, tl.float32)
    state = tl.zeros([TILE_C], tl.float32)
    for n in range(N):
        at = n * C + c
        x = tl.load(x_ptr + at, mask=c_mask)
        state = state * keep + x
        tl.store(y_ptr + at, state, mask=c_mask)


def _plan_moving_average(grid, x_ptr, y_ptr, N, C, decay):
    """What is launched in the place of `moving_average`; None for itself."""
    grid_x, grid_y, grid_z = grid

    if grid_x >= 4096:
        TILE_C = max(32, min(256, _power_of_two(triton.cdiv(grid_x, 528))))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                moving_average__tiled,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]), grid_y, grid_z),
                x_ptr,
                y_ptr,
                N,
                C,
                decay,
                grid_x,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=1,
                tuned=moving_average__tiled_tuned,
                index64=moving_average__tiled__index64,
            )
        ]
    return None



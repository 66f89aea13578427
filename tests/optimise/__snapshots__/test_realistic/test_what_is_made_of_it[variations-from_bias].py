# block-axis: TILE_C indices of `c` in `from_bias__tiled`


@triton.jit
def from_bias__tiled(
    x_ptr,
    bias_ptr,
    y_ptr,
    N,
    C,
    grid_x,
    TILE_C: tl.constexpr,
):
    """All of it, for TILE_C programs at a time.

    The one launch in the place of `from_bias`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # block-axis: a program does TILE_C indices of c.
    c = tl.program_id(0) * TILE_C + tl.arange(0, TILE_C)
    c_mask = c < grid_x
    sum = tl.load(bias_ptr + c, mask=c_mask).to(D)
    for n in range(N):
        sum = sum + tl.load(x_ptr + (n * C + c), mask=c_mask).to(D)
    tl.store(y_ptr + c, sum, mask=c_mask)


def _plan_from_bias(grid, x_ptr, bias_ptr, y_ptr, N, C, *, D):
    """The launches in the place of `from_bias`; None for the kernel itself."""
    grid_x, grid_y, grid_z = grid
    return [
        _Stage(
            from_bias__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]), grid_y, grid_z),
            x_ptr,
            bias_ptr,
            y_ptr,
            N,
            C,
            grid_x,
            TILE_C=min(256, max(32, _power_of_two(triton.cdiv(grid_x, 528)))),
            num_warps=4,
            tuned=from_bias__tiled_tuned,
            index64=from_bias__tiled__index64,
        )
    ]



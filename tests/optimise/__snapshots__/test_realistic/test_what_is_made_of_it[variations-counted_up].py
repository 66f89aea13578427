# block-axis: TILE_C indices of `c` in `counted_up__tiled`


@triton.jit
def counted_up__tiled(
    x_ptr,
    y_ptr,
    N,
    C,
    grid_x,
    TILE_C: tl.constexpr,
):
    """Each program does what `TILE_C` programs of the kernel do.

    Launched in the place of `counted_up`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # block-axis: a program does TILE_C indices of c.
    c = tl.program_id(0) * TILE_C + tl.arange(0, TILE_C)
    c_mask = c < grid_x
    sum = tl.zeros([TILE_C], D)
    at = c
    for n in range(N):
        sum = sum + tl.load(x_ptr + at, mask=c_mask).to(D)
        at += C
    tl.store(y_ptr + c, sum, mask=c_mask)


def _plan_counted_up(grid, x_ptr, y_ptr, N, C, *, D):
    """The launches in the place of `counted_up`; None for the kernel itself."""
    grid_x, grid_y, grid_z = grid
    return [
        _Stage(
            counted_up__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]), grid_y, grid_z),
            x_ptr,
            y_ptr,
            N,
            C,
            grid_x,
            TILE_C=min(256, max(32, _power_of_two(triton.cdiv(grid_x, 528)))),
            num_warps=1,
            tuned=counted_up__tiled_tuned,
            index64=counted_up__tiled__index64,
        )
    ]



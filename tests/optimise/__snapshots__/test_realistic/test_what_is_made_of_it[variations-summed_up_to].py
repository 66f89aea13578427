# block-axis: TILE_ROW indices of `row` in `summed_up_to__tiled`


@triton.jit
def summed_up_to__tiled(
    x_ptr,
    y_ptr,
    C,
    exclusive,
    grid_x,
    BLOCK: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program does what `TILE_ROW` programs of the kernel do.

    Launched in the place of `summed_up_to`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    # block-axis: a program does TILE_ROW indices of row.
    row = tl.program_id(0) * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < grid_x

    before = tl.zeros([TILE_ROW, 1], D)
    for start in range(0, C, BLOCK):
        cols = tl.arange(0, BLOCK)[None, :] + start
        mask = cols < C
        x = tl.load(
            x_ptr + (cols + row * C), mask=row_mask & mask, other=tl.zeros([1, BLOCK], D)
        ).to(D)
        sums = tl.cumsum(x, 1) + before
        left = sums - x if exclusive > 0 else sums
        tl.store(y_ptr + (cols + row * C), left, mask=row_mask & mask)
        before = before + tl.sum(x, axis=1, keep_dims=True)


def _plan_summed_up_to(grid, x_ptr, y_ptr, C, exclusive, BLOCK, *, D):
    """What is launched in the place of `summed_up_to`; None for itself."""
    grid_x, grid_y, grid_z = grid

    if BLOCK < 513:
        TILE_ROW = min(1024 // BLOCK, _power_of_two(triton.cdiv(grid_x, 528)))
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                summed_up_to__tiled,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]), grid_y, grid_z),
                x_ptr,
                y_ptr,
                C,
                exclusive,
                grid_x,
                BLOCK=BLOCK,
                TILE_ROW=TILE_ROW,
                ALIGN_C=ALIGN_C,
                num_warps=4,
                tuned=summed_up_to__tiled_tuned,
                index64=summed_up_to__tiled__index64,
            )
        ]
    return None



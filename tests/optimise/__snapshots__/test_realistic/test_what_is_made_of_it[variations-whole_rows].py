# block-axis: TILE_ROW indices of `row` in `whole_rows__tiled`


@triton.jit
def whole_rows__tiled(
    x_ptr,
    y_ptr,
    C,
    row_end,
    BLOCK: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program does what `TILE_ROW` programs of the kernel do.

    Launched in the place of `whole_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    # block-axis: a program does TILE_ROW indices of row.
    row = tl.program_id(0) * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < row_end

    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(
        x_ptr + (cols + row * C), mask=row_mask & (cols < C), other=tl.zeros([1, BLOCK], D)
    ).to(D)
    tl.store(y_ptr + row, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


def _plan_whole_rows(grid, x_ptr, y_ptr, N, C, BLOCK, *, D):
    """What is launched in the place of `whole_rows`; None for itself."""
    grid_x, grid_y, grid_z = grid

    if BLOCK < 513 and N >= 1:
        row_end = min(grid_x, N)
        TILE_ROW = min(1024 // BLOCK, _power_of_two(row_end))
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                whole_rows__tiled,
                lambda meta: (triton.cdiv(row_end, meta["TILE_ROW"]), grid_y, grid_z),
                x_ptr,
                y_ptr,
                C,
                row_end,
                BLOCK=BLOCK,
                TILE_ROW=TILE_ROW,
                ALIGN_C=ALIGN_C,
                num_warps=4,
                tuned=whole_rows__tiled_tuned,
                index64=whole_rows__tiled__index64,
            )
        ]
    return None



# block-axis: TILE_ROW indices of `row` in `row_product__tiled`


@triton.jit
def row_product__tiled(
    x_ptr,
    y_ptr,
    N,
    grid_x,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program does what `TILE_ROW` programs of the kernel do.

    Launched in the place of `row_product`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    # block-axis: a program does TILE_ROW indices of row.
    row = tl.program_id(0) * TILE_ROW + tl.arange(0, TILE_ROW)
    row_mask = row < grid_x

    product = tl.full([TILE_ROW], 1.0, tl.float32)
    for i in range(N):
        product = product * tl.load(x_ptr + (row * N + i), mask=row_mask)
    tl.store(y_ptr + row, product, mask=row_mask)


def _plan_row_product(grid, x_ptr, y_ptr, N):
    """What is launched in the place of `row_product`; None for itself."""
    grid_x, grid_y, grid_z = grid

    if grid_x >= 4096:
        TILE_ROW = max(32, min(256, _power_of_two(triton.cdiv(grid_x, 528))))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                row_product__tiled,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]), grid_y, grid_z),
                x_ptr,
                y_ptr,
                N,
                grid_x,
                TILE_ROW=TILE_ROW,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=1,
                tuned=row_product__tiled_tuned,
                index64=row_product__tiled__index64,
            )
        ]
    return None



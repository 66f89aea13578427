# block-axis: TILE_C indices of `c` in `tile_by_tile__tiled`


@triton.jit
def tile_by_tile__tiled(
    x_ptr,
    y_ptr,
    N,
    C,
    tiles,
    grid_x,
    BLOCK: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program does what `TILE_C` programs of the kernel do.

    Launched in the place of `tile_by_tile`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    # block-axis: a program does TILE_C indices of c.
    c = tl.program_id(0) * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    zeros = tl.zeros([BLOCK, 1], D)
    sums = tl.zeros([BLOCK, TILE_C], D)
    for tile in range(tiles):
        rows = tl.arange(0, BLOCK)[:, None] + tile * BLOCK
        mask = rows < N
        sums = sums + tl.load(x_ptr + (rows * C + c), mask=c_mask & mask, other=zeros).to(D)
    tl.store(y_ptr + c, tl.sum(sums, axis=0, keep_dims=True), mask=c_mask)


def _plan_tile_by_tile(grid, x_ptr, y_ptr, N, C, tiles, BLOCK, *, D):
    """What is launched in the place of `tile_by_tile`; None for itself."""
    grid_x, grid_y, grid_z = grid

    if grid_x >= 512 and BLOCK < 1025:
        TILE_C = max(8, min(64, 8192 // BLOCK, _power_of_two(triton.cdiv(grid_x, 528))))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                tile_by_tile__tiled,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]), grid_y, grid_z),
                x_ptr,
                y_ptr,
                N,
                C,
                tiles,
                grid_x,
                BLOCK=BLOCK,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=8,
                tuned=tile_by_tile__tiled_tuned,
                index64=tile_by_tile__tiled__index64,
            )
        ]
    return None



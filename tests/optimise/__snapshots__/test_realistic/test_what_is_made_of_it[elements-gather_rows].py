# spread-loop: a program for each tile of TILE_COLS indices of `cols` in `gather_rows__tiled`


@triton.jit
def gather_rows__tiled(
    x_ptr,
    rows_ptr,
    y_ptr,
    N,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program computes `TILE_COLS` indices of `cols`.

    Launched in the place of `gather_rows`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(N, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # spread-loop: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < N

    from_ = tl.load(rows_ptr + row)
    tl.store(
        y_ptr + (cols + row * N),
        tl.load(x_ptr + (cols + from_ * N), mask=cols_mask),
        mask=cols_mask,
    )


def _plan_gather_rows(grid, x_ptr, rows_ptr, y_ptr, N, BLOCK, *, D):
    """What is launched in the place of `gather_rows`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    TILE_COLS = min(512, _power_of_two(N))
    ALIGN_N = _alignment(N, 16)
    return [
        _Stage(
            gather_rows__tiled,
            lambda meta: (triton.cdiv(N, meta["TILE_COLS"]) * grid_x,),
            x_ptr,
            rows_ptr,
            y_ptr,
            N,
            TILE_COLS=TILE_COLS,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=gather_rows__tiled_tuned,
            index64=gather_rows__tiled__index64,
        )
    ]



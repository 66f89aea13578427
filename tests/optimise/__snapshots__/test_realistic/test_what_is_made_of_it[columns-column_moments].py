# block-axis: TILE_C indices of `c` in `column_moments__whole`
# split-reduction: the loop over `rows` is shared out among programs
# block-axis: TILE_C indices of `c` in `column_moments__partial`
# block-axis: TILE_C indices of `c` in `column_moments__final`
# split-kernel: 2 launches: column_moments__partial, column_moments__final


@triton.jit
def column_moments__whole(
    x_ptr,
    mean_ptr,
    var_ptr,
    N,
    C,
    grid_x,
    TILE_BLOCK: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """All of it, for a tile of columns a program.

    The one launch in the place of `column_moments`.
    """
    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sums = tl.zeros([TILE_BLOCK, TILE_C], tl.float32)
    squares = tl.zeros([TILE_BLOCK, TILE_C], tl.float32)
    for rows_start in tl.range(0, N, TILE_BLOCK, num_stages=4):
        rows = rows_start + tl.arange(0, TILE_BLOCK)[:, None]
        rows_mask = rows < N
        mask = c_mask & rows_mask
        x = tl.load(x_ptr + (rows * C + c), mask=mask).to(tl.float32)
        sums = sums + tl.where(rows_mask, x, 0.0)
        squares = squares + tl.where(rows_mask, x * x, 0.0)
    sums = tl.sum(sums, axis=0, keep_dims=True)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    scale = tl.cast(1.0 / tl.cast(N, tl.float32), tl.float32)
    mean = sums * scale
    var = tl.maximum(squares * scale - mean * mean, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(mean_ptr + c, mean, mask=c_mask)
    tl.store(var_ptr + c, var, mask=c_mask)


@triton.jit
def column_moments__partial(
    x_ptr,
    N,
    C,
    sums_partials,
    squares_partials,
    grid_x,
    rows_per_share,
    TILE_BLOCK: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """What each part of the loop over `rows` adds to `sums`, `squares`.

    Launch 1 of 2 in the place of `column_moments`.
    """
    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    share = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sums = tl.zeros([TILE_BLOCK, TILE_C], tl.float32)
    squares = tl.zeros([TILE_BLOCK, TILE_C], tl.float32)
    # split-reduction: the program's share of rows.
    share_start = share * rows_per_share
    share_end = tl.minimum(share_start + rows_per_share, N)
    for rows_start in tl.range(share_start, share_end, TILE_BLOCK, num_stages=4):
        rows = rows_start + tl.arange(0, TILE_BLOCK)[:, None]
        rows_mask = rows < share_end
        mask = c_mask & rows_mask
        x = tl.load(x_ptr + (rows * C + c), mask=mask).to(tl.float32)
        sums = sums + tl.where(rows_mask, x, 0.0)
        squares = squares + tl.where(rows_mask, x * x, 0.0)
    sums = tl.sum(sums, axis=0, keep_dims=True)
    squares = tl.sum(squares, axis=0, keep_dims=True)

    slot = share * grid_x + c
    tl.store(sums_partials + slot, sums, mask=c_mask)
    tl.store(squares_partials + slot, squares, mask=c_mask)


@triton.jit
def column_moments__final(
    mean_ptr,
    var_ptr,
    N,
    sums_partials,
    squares_partials,
    grid_x,
    parts,
    TILE_P: tl.constexpr,
    TILE_C: tl.constexpr,
    D: tl.constexpr,
):
    """The parts combined, and what is stored of the results.

    Launch 2 of 2 in the place of `column_moments`.
    """
    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sums = tl.zeros([TILE_P, TILE_C], tl.float32)
    squares = tl.zeros([TILE_P, TILE_C], tl.float32)
    for p_start in range(0, parts, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[:, None]
        mask = c_mask & (p < parts)
        slot = p * grid_x + c
        sums = sums + tl.load(sums_partials + slot, mask=mask, other=0.0)
        squares = squares + tl.load(squares_partials + slot, mask=mask, other=0.0)
    sums = tl.sum(sums, axis=0, keep_dims=True)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    scale = tl.cast(1.0 / tl.cast(N, tl.float32), tl.float32)
    mean = sums * scale
    var = tl.maximum(squares * scale - mean * mean, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(mean_ptr + c, mean, mask=c_mask)
    tl.store(var_ptr + c, var, mask=c_mask)


def _plan_column_moments(grid, x_ptr, mean_ptr, var_ptr, N, C, BLOCK, *, D):
    """The launches in the place of `column_moments`; None for the kernel itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None
    if grid_x >= 4096:
        return [
            _Stage(
                column_moments__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
                x_ptr,
                mean_ptr,
                var_ptr,
                N,
                C,
                grid_x,
                TILE_BLOCK=min(
                    min({1: 8192, 2: 8192, 4: 4096, 8: 4096}[D.itemsize], 32768 // D.itemsize)
                    // min(32, _power_of_two(grid_x)),
                    _power_of_two(N),
                ),
                TILE_C=min(32, _power_of_two(grid_x)),
                num_warps=4,
                tuned=column_moments__whole_tuned,
                index64=column_moments__whole__index64,
            )
        ]
    TILE_C = min(64, _power_of_two(grid_x))
    TILE_BLOCK = min(min(4096, 32768 // D.itemsize) // TILE_C, _power_of_two(N))
    rows_shares = max(1, min(triton.cdiv(N, 4 * TILE_BLOCK), 264 // triton.cdiv(grid_x, TILE_C)))
    rows_per_share = triton.cdiv(N, rows_shares)
    parts = triton.cdiv(N, rows_per_share)
    sums_partials = _Scratch(torch.float32, parts * grid_x)
    squares_partials = _Scratch(torch.float32, parts * grid_x)
    return [
        _Stage(
            column_moments__partial,
            (triton.cdiv(grid_x, TILE_C) * parts,),
            x_ptr,
            N,
            C,
            sums_partials,
            squares_partials,
            grid_x,
            rows_per_share,
            TILE_BLOCK=TILE_BLOCK,
            TILE_C=TILE_C,
            num_warps=4,
            tuned=column_moments__partial_tuned,
            index64=column_moments__partial__index64,
        ),
        _Stage(
            column_moments__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
            mean_ptr,
            var_ptr,
            N,
            sums_partials,
            squares_partials,
            grid_x,
            parts,
            TILE_P=min(1024 // min(4, _power_of_two(grid_x)), _power_of_two(parts)),
            TILE_C=min(4, _power_of_two(grid_x)),
            D=getattr(tl, str(_arithmetic(D)).removeprefix("torch.")),
            num_warps=4,
            tuned=column_moments__final_tuned,
            index64=column_moments__final__index64,
        ),
    ]



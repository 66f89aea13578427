# block-axis: TILE_C indices of `c` in `counted_tiles__whole`
# split-reduction: the loop over `rows` is shared out among programs
# block-axis: TILE_C indices of `c` in `counted_tiles__partial`
# block-axis: TILE_C indices of `c` in `counted_tiles__final`
# split-kernel: 2 launches: counted_tiles__partial, counted_tiles__final


@triton.jit
def counted_tiles__whole(
    x_ptr,
    y_ptr,
    N,
    C,
    grid_x,
    TILE_ROWS: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `counted_tiles`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    largest = tl.full([TILE_ROWS, TILE_C], -3.4028235e38, tl.float32)
    for rows_start in tl.range(
        0, N, TILE_ROWS, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1
    ):
        rows = rows_start + tl.arange(0, TILE_ROWS)[:, None]
        rows_mask = rows < N
        mask = c_mask & rows_mask
        largest = tl.maximum(
            largest,
            tl.where(
                rows_mask,
                tl.load(x_ptr + (rows * C + c), mask=mask, other=-3.4028235e38),
                -float("inf"),
            ),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)
    tl.store(y_ptr + c, largest, mask=c_mask)


@triton.jit
def counted_tiles__partial(
    x_ptr,
    N,
    C,
    largest_partials,
    grid_x,
    rows_per_share,
    TILE_ROWS: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `rows` to a partial result of `largest`.

    Launch 1 of 2 in the place of `counted_tiles`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    share = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    # split-reduction: the program's share of rows.
    share_start = share * rows_per_share
    share_end = tl.minimum(share_start + rows_per_share, N)

    largest = tl.full([TILE_ROWS, TILE_C], -3.4028235e38, tl.float32)
    for rows_start in tl.range(
        share_start, share_end, TILE_ROWS, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1
    ):
        rows = rows_start + tl.arange(0, TILE_ROWS)[:, None]
        rows_mask = rows < share_end
        mask = c_mask & rows_mask
        largest = tl.maximum(
            largest,
            tl.where(
                rows_mask,
                tl.load(x_ptr + (rows * C + c), mask=mask, other=-3.4028235e38),
                -float("inf"),
            ),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)

    slot = share * grid_x + c
    tl.store(largest_partials + slot, largest, mask=c_mask)


@triton.jit
def counted_tiles__final(
    y_ptr,
    largest_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `largest`, and stores what is made of them.

    Launch 2 of 2 in the place of `counted_tiles`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    largest = tl.full([TILE_PART, TILE_C], -float("inf"), tl.float32)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = part * grid_x + c
        largest = tl.maximum(
            largest,
            tl.load(largest_partials + slot, mask=mask, other=-float("inf")),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)
    tl.store(y_ptr + c, largest, mask=c_mask)


def _plan_counted_tiles(grid, x_ptr, y_ptr, N, C, BLOCK):
    """What is launched in the place of `counted_tiles`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, grid_x) >= N:
        TILE_C = min(32, _power_of_two(grid_x), max(8, _power_of_two(grid_x // 128)))
        TILE_ROWS = min(128, _power_of_two(triton.cdiv(N, 4)))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                counted_tiles__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
                x_ptr,
                y_ptr,
                N,
                C,
                grid_x,
                TILE_ROWS=TILE_ROWS,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
                tuned=counted_tiles__whole_tuned,
                index64=counted_tiles__whole__index64,
            )
        ]

    TILE_C = min(64, _power_of_two(grid_x))
    TILE_ROWS = min(
        4096 // TILE_C,
        _power_of_two(N),
        max(16, _power_of_two(N * triton.cdiv(grid_x, TILE_C) // 1056)),
    )
    # 264 programs share rows, each at least four tiles of it.
    rows_shares = max(1, min(triton.cdiv(N, 4 * TILE_ROWS), 264 // triton.cdiv(grid_x, TILE_C)))
    rows_per_share = triton.cdiv(N, rows_shares)
    parts = triton.cdiv(N, rows_per_share)
    largest_partials = _Scratch(torch.float32, parts * grid_x)

    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    partial_stage = _Stage(
        counted_tiles__partial,
        (triton.cdiv(grid_x, TILE_C) * parts,),
        x_ptr,
        N,
        C,
        largest_partials,
        grid_x,
        rows_per_share,
        TILE_ROWS=TILE_ROWS,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
        tuned=counted_tiles__partial_tuned,
        index64=counted_tiles__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    final_stage = _Stage(
        counted_tiles__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
        y_ptr,
        largest_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=counted_tiles__final_tuned,
        index64=counted_tiles__final__index64,
    )
    return [partial_stage, final_stage]



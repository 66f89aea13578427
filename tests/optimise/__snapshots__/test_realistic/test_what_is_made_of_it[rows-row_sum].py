# block-axis: TILE_ROW indices of `row` in `row_sum__whole`
# vectorise-loop: TILE_I indices of `i` in `row_sum__whole`
# vectorise-loop: TILE_I indices of `i` in `row_sum__partial`
# split-reduction: the loop over `i` is shared out among programs
# block-axis: TILE_ROW indices of `row` in `row_sum__final`
# split-kernel: 2 launches: row_sum__partial, row_sum__final


@triton.jit
def row_sum__whole(
    x_ptr,
    y_ptr,
    N,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces `TILE_ROW` indices of `row` by itself.

    Launched in the place of `row_sum`.
    """
    D: tl.constexpr = (
        tl.float32
        if x_ptr.dtype.element_ty == tl.float16 or x_ptr.dtype.element_ty == tl.bfloat16
        else x_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < grid_x

    sum = tl.zeros([TILE_ROW, TILE_I], D)
    for i_start in range(0, N, TILE_I):
        # vectorise-loop: TILE_I indices of i at a time.
        i = i_start + tl.arange(0, TILE_I)[None, :]
        mask = row_mask & (i < N)
        sum += tl.load(x_ptr + (row * N + i), mask=mask, other=0).to(D)
    sum = tl.sum(sum, axis=1, keep_dims=True).to(D)
    tl.store(y_ptr + row, sum, mask=row_mask)


@triton.jit
def row_sum__partial(
    x_ptr,
    N,
    sum_partials,
    grid_x,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `i` to a partial result of `sum`.

    Launch 1 of 2 in the place of `row_sum`.
    """
    D: tl.constexpr = (
        tl.float32
        if x_ptr.dtype.element_ty == tl.float16 or x_ptr.dtype.element_ty == tl.bfloat16
        else x_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    i_tiles = tl.cdiv(N, TILE_I)
    i_tile = pid % i_tiles
    row = pid // i_tiles
    # split-reduction: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)
    i_mask = i < N

    sum = tl.sum(tl.load(x_ptr + (row * N + i), mask=i_mask, other=0).to(D)).to(D)

    slot = i_tile * grid_x + row
    tl.store(sum_partials + slot, sum)


@triton.jit
def row_sum__final(
    y_ptr,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `row_sum`.
    """
    D: tl.constexpr = (
        tl.float32
        if y_ptr.dtype.element_ty == tl.float16 or y_ptr.dtype.element_ty == tl.bfloat16
        else y_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[None, :]
    row_mask = row < grid_x

    sum = tl.zeros([TILE_PART, TILE_ROW], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = row_mask & (part < parts)
        slot = part * grid_x + row
        sum += tl.load(sum_partials + slot, mask=mask, other=0)
    sum = tl.sum(sum, axis=0, keep_dims=True).to(D)
    tl.store(y_ptr + row, sum, mask=row_mask)


def _plan_row_sum(grid, x_ptr, y_ptr, N, *, D):
    """What is launched in the place of `row_sum`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each row: programs reduce all of theirs in one launch.
    if max(2048, 64 * grid_x) >= N:
        TILE_I = min(1024, _power_of_two(N))
        TILE_ROW = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_I, _power_of_two(grid_x // 264)
        )
        ALIGN_N = _alignment(N, 16)
        return [
            _Stage(
                row_sum__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
                x_ptr,
                y_ptr,
                N,
                grid_x,
                TILE_ROW=TILE_ROW,
                TILE_I=TILE_I,
                ALIGN_N=ALIGN_N,
                num_warps=4,
                tuned=row_sum__whole_tuned,
                index64=row_sum__whole__index64,
            )
        ]

    TILE_I = min(1024, _power_of_two(N))
    parts = triton.cdiv(N, TILE_I)
    sum_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_N = _alignment(N, 16)
    partial_stage = _Stage(
        row_sum__partial,
        (parts * grid_x,),
        x_ptr,
        N,
        sum_partials,
        grid_x,
        TILE_I=TILE_I,
        ALIGN_N=ALIGN_N,
        num_warps=4,
        tuned=row_sum__partial_tuned,
        index64=row_sum__partial__index64,
    )

    TILE_ROW = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        row_sum__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
        y_ptr,
        sum_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_ROW=TILE_ROW,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=row_sum__final_tuned,
        index64=row_sum__final__index64,
    )
    return [partial_stage, final_stage]



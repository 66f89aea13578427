# block-axis: TILE_ROW indices of `row` in `one_by_one__whole`
# split-reduction: the loop over `cols` is shared out among programs
# block-axis: TILE_ROW indices of `row` in `one_by_one__final`
# split-kernel: 2 launches: one_by_one__partial, one_by_one__final


@triton.jit
def one_by_one__whole(
    x_ptr,
    y_ptr,
    C,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces `TILE_ROW` indices of `row` by itself.

    Launched in the place of `one_by_one`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < grid_x

    sum = tl.zeros([TILE_ROW, TILE_COLS], D)
    for cols_start in range(0, C, TILE_COLS):
        cols = cols_start + tl.arange(0, TILE_COLS)[None, :]
        mask = row_mask & (cols < C)
        sum += tl.load(x_ptr + (cols + row * C), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=1, keep_dims=True)
    tl.store(y_ptr + row, sum, mask=row_mask)


@triton.jit
def one_by_one__partial(
    x_ptr,
    C,
    sum_partials,
    grid_x,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `cols` to a partial result of `sum`.

    Launch 1 of 2 in the place of `one_by_one`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(C, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # split-reduction: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < C

    sum = tl.sum(tl.load(x_ptr + (cols + row * C), mask=cols_mask, other=0.0).to(D))

    slot = cols_tile * grid_x + row
    tl.store(sum_partials + slot, sum)


@triton.jit
def one_by_one__final(
    y_ptr,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `one_by_one`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
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
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + row, sum, mask=row_mask)


def _plan_one_by_one(grid, x_ptr, y_ptr, C, BLOCK, *, D):
    """What is launched in the place of `one_by_one`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each row: programs reduce all of theirs in one launch.
    if C < 1024:
        TILE_COLS = min(1024, _power_of_two(C))
        TILE_ROW = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_COLS,
            _power_of_two(grid_x // 264),
        )
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                one_by_one__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
                x_ptr,
                y_ptr,
                C,
                grid_x,
                TILE_ROW=TILE_ROW,
                TILE_COLS=TILE_COLS,
                ALIGN_C=ALIGN_C,
                num_warps=4,
                tuned=one_by_one__whole_tuned,
                index64=one_by_one__whole__index64,
            )
        ]

    # Programs are few: more of them share the loops.
    if grid_x < 256 and C >= 16 * BLOCK:
        TILE_COLS = min(1024, _power_of_two(C))
        parts = triton.cdiv(C, TILE_COLS)
        sum_partials = _Scratch(_arithmetic(D), parts * grid_x)

        ALIGN_C = _alignment(C, 16)
        partial_stage = _Stage(
            one_by_one__partial,
            (parts * grid_x,),
            x_ptr,
            C,
            sum_partials,
            grid_x,
            TILE_COLS=TILE_COLS,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=one_by_one__partial_tuned,
            index64=one_by_one__partial__index64,
        )

        TILE_ROW = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        final_stage = _Stage(
            one_by_one__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
            y_ptr,
            sum_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_ROW=TILE_ROW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=one_by_one__final_tuned,
            index64=one_by_one__final__index64,
        )
        return [partial_stage, final_stage]
    return None



# block-axis: TILE_ROW indices of `row` in `by_functions__whole`
# split-reduction: the loop over `columns` is shared out among programs
# block-axis: TILE_ROW indices of `row` in `by_functions__final`
# split-kernel: 2 launches: by_functions__partial, by_functions__final


@triton.jit
def by_functions__whole(
    x_ptr,
    mean_ptr,
    square_ptr,
    C,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_COLUMNS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces `TILE_ROW` indices of `row` by itself.

    Launched in the place of `by_functions`.
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

    count = tl.cast(C, D)
    sums_0 = tl.zeros([TILE_ROW, TILE_COLUMNS], D)
    sums_1 = tl.zeros([TILE_ROW, TILE_COLUMNS], D)
    for columns_start in range(0, C, TILE_COLUMNS):
        columns = columns_start + tl.arange(0, TILE_COLUMNS)[None, :]
        mask = row_mask & (columns < C)
        x = tl.load(x_ptr + (columns + row * C), mask=mask, other=0.0).to(D)
        square = x * x
        sums_0 += x
        sums_1 += square
    sums_0 = tl.sum(sums_0, axis=1, keep_dims=True)
    sums_1 = tl.sum(sums_1, axis=1, keep_dims=True)
    tl.store(mean_ptr + row, sums_0 / count, mask=row_mask)
    tl.store(square_ptr + row, sums_1 / count, mask=row_mask)


@triton.jit
def by_functions__partial(
    x_ptr,
    C,
    sums_0_partials,
    sums_1_partials,
    grid_x,
    TILE_COLUMNS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `columns` to a partial result of `sums_0` and `sums_1`.

    Launch 1 of 2 in the place of `by_functions`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    columns_tiles = tl.cdiv(C, TILE_COLUMNS)
    columns_tile = pid % columns_tiles
    row = pid // columns_tiles
    # split-reduction: a program does TILE_COLUMNS indices of columns.
    columns = columns_tile * TILE_COLUMNS + tl.arange(0, TILE_COLUMNS)
    columns_mask = columns < C

    x = tl.load(x_ptr + (columns + row * C), mask=columns_mask, other=0.0).to(D)
    square = x * x
    sums_0 = tl.sum(x)
    sums_1 = tl.sum(square)

    slot = columns_tile * grid_x + row
    tl.store(sums_0_partials + slot, sums_0)
    tl.store(sums_1_partials + slot, sums_1)


@triton.jit
def by_functions__final(
    mean_ptr,
    square_ptr,
    C,
    sums_0_partials,
    sums_1_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sums_0` and `sums_1`, and stores what is made of them.

    Launch 2 of 2 in the place of `by_functions`.
    """
    D: tl.constexpr = (
        mean_ptr.dtype.element_ty
        if mean_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[None, :]
    row_mask = row < grid_x

    sums_0 = tl.zeros([TILE_PART, TILE_ROW], D)
    sums_1 = tl.zeros([TILE_PART, TILE_ROW], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = row_mask & (part < parts)
        slot = part * grid_x + row
        sums_0 += tl.load(sums_0_partials + slot, mask=mask, other=0.0)
        sums_1 += tl.load(sums_1_partials + slot, mask=mask, other=0.0)
    sums_0 = tl.sum(sums_0, axis=0, keep_dims=True)
    sums_1 = tl.sum(sums_1, axis=0, keep_dims=True)
    count = tl.cast(C, D)
    tl.store(mean_ptr + row, sums_0 / count, mask=row_mask)
    tl.store(square_ptr + row, sums_1 / count, mask=row_mask)


def _plan_by_functions(grid, x_ptr, mean_ptr, square_ptr, C, BLOCK, *, D):
    """What is launched in the place of `by_functions`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each row: programs reduce all of theirs in one launch.
    if C < 1024:
        TILE_COLUMNS = min(1024, _power_of_two(C))
        TILE_ROW = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_COLUMNS,
            _power_of_two(grid_x // 264),
        )
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                by_functions__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
                x_ptr,
                mean_ptr,
                square_ptr,
                C,
                grid_x,
                TILE_ROW=TILE_ROW,
                TILE_COLUMNS=TILE_COLUMNS,
                ALIGN_C=ALIGN_C,
                num_warps=4,
                tuned=by_functions__whole_tuned,
                index64=by_functions__whole__index64,
            )
        ]

    # Programs are few: more of them share the loops.
    if grid_x < 256 and C >= 16 * BLOCK:
        TILE_COLUMNS = min(1024, _power_of_two(C))
        parts = triton.cdiv(C, TILE_COLUMNS)
        sums_0_partials = _Scratch(_arithmetic(D), parts * grid_x)
        sums_1_partials = _Scratch(_arithmetic(D), parts * grid_x)

        ALIGN_C = _alignment(C, 16)
        partial_stage = _Stage(
            by_functions__partial,
            (parts * grid_x,),
            x_ptr,
            C,
            sums_0_partials,
            sums_1_partials,
            grid_x,
            TILE_COLUMNS=TILE_COLUMNS,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=by_functions__partial_tuned,
            index64=by_functions__partial__index64,
        )

        TILE_ROW = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        final_stage = _Stage(
            by_functions__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
            mean_ptr,
            square_ptr,
            C,
            sums_0_partials,
            sums_1_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_ROW=TILE_ROW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=by_functions__final_tuned,
            index64=by_functions__final__index64,
        )
        return [partial_stage, final_stage]
    return None



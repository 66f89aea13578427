# block-axis: TILE_ROW indices of `row` in `normalise_rows__whole`
# split-reduction: the loop over `cols` is shared out among programs
# block-axis: TILE_ROW indices of `row` in `normalise_rows__flat_final`
# block-axis: TILE_FLAT indices of `flat` in `normalise_rows__flat_apply`
# split-kernel: 3 launches: normalise_rows__flat_partial, normalise_rows__flat_final, normalise_rows__flat_apply
# collapse-axes: `row` and `cols` share lanes where `cols` has fewer than 1024 indices, or starts where accesses are narrow
# block-axis: TILE_ROW indices of `row` in `normalise_rows__final`
# spread-loop: a program for each tile of TILE_COLS indices of `cols` in `normalise_rows__apply`
# split-kernel: 3 launches: normalise_rows__partial, normalise_rows__final, normalise_rows__apply


@triton.jit
def normalise_rows__whole(
    x_ptr,
    y_ptr,
    N,
    eps,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces `TILE_ROW` indices of `row` by itself.

    Launched in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < grid_x

    squares = tl.zeros([TILE_ROW, TILE_COLS], D)
    for cols_start in range(0, N, TILE_COLS):
        cols = cols_start + tl.arange(0, TILE_COLS)[None, :]
        mask = row_mask & (cols < N)
        x = tl.load(
            x_ptr + (cols + row * N), mask=mask, other=0.0, eviction_policy="evict_last"
        ).to(D)
        squares += x * x
    squares = tl.sum(squares, axis=1, keep_dims=True)
    norm = tl.maximum(tl.sqrt(squares), tl.cast(eps, D), propagate_nan=tl.PropagateNan.ALL)
    for cols_start in range(0, N, TILE_COLS):
        cols = cols_start + tl.arange(0, TILE_COLS)[None, :]
        mask = row_mask & (cols < N)
        x = tl.load(x_ptr + (cols + row * N), mask=mask, eviction_policy="evict_first").to(D)
        tl.store(y_ptr + (cols + row * N), x / norm, mask=mask)


@triton.jit
def normalise_rows__flat_partial(
    x_ptr,
    N,
    squares_partials,
    grid_x,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `cols` to a partial result of `squares`.

    Launch 1 of 3 in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(N, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # split-reduction: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < N

    x = tl.load(x_ptr + (cols + row * N), mask=cols_mask, other=0.0).to(D)
    squares = tl.sum(x * x)

    slot = cols_tile * grid_x + row
    tl.store(squares_partials + slot, squares)


@triton.jit
def normalise_rows__flat_final(
    squares_partials,
    squares_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `squares`.

    Launch 2 of 3 in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        squares_partials.dtype.element_ty
        if squares_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[None, :]
    row_mask = row < grid_x

    squares = tl.zeros([TILE_PART, TILE_ROW], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = row_mask & (part < parts)
        slot = part * grid_x + row
        squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(squares_total + row, squares, mask=row_mask)


@triton.jit
def normalise_rows__flat_apply(
    x_ptr,
    y_ptr,
    N,
    eps,
    squares_total,
    grid_x,
    TILE_FLAT: tl.constexpr,
    ALIGN_N: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_FLAT` indices of `flat`.

    Launch 3 of 3 in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    flat_tile = tl.program_id(0)
    # collapse-axes: flat counts all cols of each row.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)
    flat_mask = flat < grid_x * N

    row = flat // N
    squares = tl.load(squares_total + row, mask=flat_mask)
    norm = tl.maximum(tl.sqrt(squares), tl.cast(eps, D), propagate_nan=tl.PropagateNan.ALL)
    x = tl.load(x_ptr + flat, mask=flat_mask).to(D)
    tl.store(y_ptr + flat, x / norm, mask=flat_mask)


@triton.jit
def normalise_rows__partial(
    x_ptr,
    N,
    squares_partials,
    grid_x,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `cols` to a partial result of `squares`.

    Launch 1 of 3 in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(N, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # split-reduction: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < N

    x = tl.load(x_ptr + (cols + row * N), mask=cols_mask, other=0.0).to(D)
    squares = tl.sum(x * x)

    slot = cols_tile * grid_x + row
    tl.store(squares_partials + slot, squares)


@triton.jit
def normalise_rows__final(
    squares_partials,
    squares_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `squares`.

    Launch 2 of 3 in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        squares_partials.dtype.element_ty
        if squares_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    row_tile = tl.program_id(0)
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[None, :]
    row_mask = row < grid_x

    squares = tl.zeros([TILE_PART, TILE_ROW], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = row_mask & (part < parts)
        slot = part * grid_x + row
        squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(squares_total + row, squares, mask=row_mask)


@triton.jit
def normalise_rows__apply(
    x_ptr,
    y_ptr,
    N,
    eps,
    squares_total,
    TILE_COLS: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program computes `TILE_COLS` indices of `cols`.

    Launch 3 of 3 in the place of `normalise_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(N, TILE_COLS)
    cols_tile = pid % cols_tiles
    row = pid // cols_tiles
    # spread-loop: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < N

    squares = tl.load(squares_total + row)
    norm = tl.maximum(tl.sqrt(squares), tl.cast(eps, D), propagate_nan=tl.PropagateNan.ALL)
    x = tl.load(x_ptr + (cols + row * N), mask=cols_mask).to(D)
    tl.store(y_ptr + (cols + row * N), x / norm, mask=cols_mask)


def _plan_normalise_rows(grid, x_ptr, y_ptr, N, eps, BLOCK, *, D):
    """What is launched in the place of `normalise_rows`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each row: programs reduce all of theirs in one launch.
    if N < 1024:
        TILE_COLS = min(1024, _power_of_two(N))
        TILE_ROW = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_COLS,
            _power_of_two(grid_x // 264),
        )
        ALIGN_N = _alignment(N, 16)
        return [
            _Stage(
                normalise_rows__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
                x_ptr,
                y_ptr,
                N,
                eps,
                grid_x,
                TILE_ROW=TILE_ROW,
                TILE_COLS=TILE_COLS,
                ALIGN_N=ALIGN_N,
                num_warps=4,
                tuned=normalise_rows__whole_tuned,
                index64=normalise_rows__whole__index64,
            )
        ]

    # Short cols, and those that start where accesses are narrow, share the lanes of tiles with row.
    if (
        (
            N < 1024
            or _alignment(grid_x * N, 16 // D.itemsize) >= 2 * _alignment(N, 16 // D.itemsize)
        )
        and grid_x < 256
        and N >= 16 * BLOCK
    ):
        TILE_COLS = min(1024, _power_of_two(N))
        parts = triton.cdiv(N, TILE_COLS)
        squares_partials = _Scratch(_arithmetic(D), parts * grid_x)
        squares_total = _Scratch(_arithmetic(D), grid_x)

        ALIGN_N = _alignment(N, 16)
        flat_partial_stage = _Stage(
            normalise_rows__flat_partial,
            (parts * grid_x,),
            x_ptr,
            N,
            squares_partials,
            grid_x,
            TILE_COLS=TILE_COLS,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=normalise_rows__flat_partial_tuned,
            index64=normalise_rows__flat_partial__index64,
        )

        TILE_ROW = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        flat_final_stage = _Stage(
            normalise_rows__flat_final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
            squares_partials,
            squares_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_ROW=TILE_ROW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=normalise_rows__flat_final_tuned,
            index64=normalise_rows__flat_final__index64,
        )

        TILE_FLAT = min(512, _power_of_two(grid_x * N))
        flat_apply_stage = _Stage(
            normalise_rows__flat_apply,
            lambda meta: (triton.cdiv(grid_x * N, meta["TILE_FLAT"]),),
            x_ptr,
            y_ptr,
            N,
            eps,
            squares_total,
            grid_x,
            TILE_FLAT=TILE_FLAT,
            ALIGN_N=ALIGN_N,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=normalise_rows__flat_apply_tuned,
            index64=normalise_rows__flat_apply__index64,
        )
        return [flat_partial_stage, flat_final_stage, flat_apply_stage]

    # Programs are few: more of them share the loops.
    if grid_x < 256 and N >= 16 * BLOCK:
        TILE_COLS = min(1024, _power_of_two(N))
        parts = triton.cdiv(N, TILE_COLS)
        squares_partials = _Scratch(_arithmetic(D), parts * grid_x)
        squares_total = _Scratch(_arithmetic(D), grid_x)

        ALIGN_N = _alignment(N, 16)
        partial_stage = _Stage(
            normalise_rows__partial,
            (parts * grid_x,),
            x_ptr,
            N,
            squares_partials,
            grid_x,
            TILE_COLS=TILE_COLS,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=normalise_rows__partial_tuned,
            index64=normalise_rows__partial__index64,
        )

        TILE_ROW = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        final_stage = _Stage(
            normalise_rows__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
            squares_partials,
            squares_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_ROW=TILE_ROW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=normalise_rows__final_tuned,
            index64=normalise_rows__final__index64,
        )

        TILE_COLS = min(512, _power_of_two(N))
        apply_stage = _Stage(
            normalise_rows__apply,
            lambda meta: (triton.cdiv(N, meta["TILE_COLS"]) * grid_x,),
            x_ptr,
            y_ptr,
            N,
            eps,
            squares_total,
            TILE_COLS=TILE_COLS,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=normalise_rows__apply_tuned,
            index64=normalise_rows__apply__index64,
        )
        return [partial_stage, final_stage, apply_stage]
    return None



# block-axis: TILE_ROW indices of `row` in `rms_norm__whole`
# vectorise-loop: TILE_I indices of `i` in `rms_norm__whole`
# vectorise-loop: TILE_I indices of `i` in `rms_norm__partial`
# split-reduction: the loop over `i` is shared out among programs
# block-axis: TILE_ROW indices of `row` in `rms_norm__final`
# block-axis: TILE_ROW indices of `row` in `rms_norm__apply`
# vectorise-loop: TILE_I indices of `i` in `rms_norm__apply`
# spread-loop: a program for each tile of TILE_I indices of `i` in `rms_norm__apply`
# split-kernel: 3 launches: rms_norm__partial, rms_norm__final, rms_norm__apply


@triton.jit
def rms_norm__whole(
    x_ptr,
    weight_ptr,
    y_ptr,
    rrms_ptr,
    N,
    eps,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces `TILE_ROW` indices of `row` by itself.

    Launched in the place of `rms_norm`.
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

    squares = tl.zeros([TILE_ROW, TILE_I], D)
    for i_start in range(0, N, TILE_I):
        # vectorise-loop: TILE_I indices of i at a time.
        i = i_start + tl.arange(0, TILE_I)[None, :]
        mask = row_mask & (i < N)
        x = tl.load(x_ptr + (row * N + i), mask=mask, other=0.0, eviction_policy="evict_last").to(D)
        squares += x * x
    squares = tl.sum(squares, axis=1, keep_dims=True)
    rrms = tl.rsqrt(squares / tl.cast(N, D) + tl.cast(eps, D))
    for i_start in range(0, N, TILE_I):
        # vectorise-loop: TILE_I indices of i at a time.
        i = i_start + tl.arange(0, TILE_I)[None, :]
        i_mask = i < N
        mask = row_mask & i_mask
        at = row * N + i
        tl.store(
            y_ptr + at,
            tl.load(x_ptr + at, mask=mask, eviction_policy="evict_first").to(D)
            * rrms
            * tl.load(weight_ptr + i, mask=i_mask, eviction_policy="evict_last").to(D),
            mask=mask,
        )
    tl.store(rrms_ptr + row, rrms.to(tl.float32), mask=row_mask)


@triton.jit
def rms_norm__partial(
    x_ptr,
    N,
    squares_partials,
    grid_x,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `i` to a partial result of `squares`.

    Launch 1 of 3 in the place of `rms_norm`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
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

    x = tl.load(x_ptr + (row * N + i), mask=i_mask, other=0.0).to(D)
    squares = tl.sum(x * x)

    slot = i_tile * grid_x + row
    tl.store(squares_partials + slot, squares)


@triton.jit
def rms_norm__final(
    rrms_ptr,
    N,
    eps,
    squares_partials,
    squares_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_ROW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `squares`, and stores what is made of them.

    Launch 2 of 3 in the place of `rms_norm`.
    """
    D: tl.constexpr = (
        squares_partials.dtype.element_ty
        if squares_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

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
    rrms = tl.rsqrt(squares / tl.cast(N, D) + tl.cast(eps, D))
    tl.store(rrms_ptr + row, rrms.to(tl.float32), mask=row_mask)
    tl.store(squares_total + row, squares, mask=row_mask)


@triton.jit
def rms_norm__apply(
    x_ptr,
    weight_ptr,
    y_ptr,
    N,
    eps,
    squares_total,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program computes `TILE_ROW` by `TILE_I` indices of `row` and `i`.

    Launch 3 of 3 in the place of `rms_norm`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    N = (N // ALIGN_N) * ALIGN_N

    pid = tl.program_id(0)
    i_tiles = tl.cdiv(N, TILE_I)
    i_tile = pid % i_tiles
    row_tile = pid // i_tiles
    # spread-loop: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)[None, :]
    i_mask = i < N
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    row_mask = row < grid_x
    mask = i_mask & row_mask

    squares = tl.load(squares_total + row, mask=row_mask)
    rrms = tl.rsqrt(squares / tl.cast(N, D) + tl.cast(eps, D))
    at = row * N + i
    tl.store(
        y_ptr + at,
        tl.load(x_ptr + at, mask=mask).to(D) * rrms * tl.load(weight_ptr + i, mask=i_mask).to(D),
        mask=mask,
    )


def _plan_rms_norm(grid, x_ptr, weight_ptr, y_ptr, rrms_ptr, N, eps, *, D):
    """What is launched in the place of `rms_norm`; None for itself."""
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
                rms_norm__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
                x_ptr,
                weight_ptr,
                y_ptr,
                rrms_ptr,
                N,
                eps,
                grid_x,
                TILE_ROW=TILE_ROW,
                TILE_I=TILE_I,
                ALIGN_N=ALIGN_N,
                num_warps=4,
                tuned=rms_norm__whole_tuned,
                index64=rms_norm__whole__index64,
            )
        ]

    TILE_I = min(1024, _power_of_two(N))
    parts = triton.cdiv(N, TILE_I)
    squares_partials = _Scratch(_arithmetic(D), parts * grid_x)
    squares_total = _Scratch(_arithmetic(D), grid_x)

    ALIGN_N = _alignment(N, 16)
    partial_stage = _Stage(
        rms_norm__partial,
        (parts * grid_x,),
        x_ptr,
        N,
        squares_partials,
        grid_x,
        TILE_I=TILE_I,
        ALIGN_N=ALIGN_N,
        num_warps=4,
        tuned=rms_norm__partial_tuned,
        index64=rms_norm__partial__index64,
    )

    TILE_ROW = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_ROW, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        rms_norm__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_ROW"]),),
        rrms_ptr,
        N,
        eps,
        squares_partials,
        squares_total,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_ROW=TILE_ROW,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=rms_norm__final_tuned,
        index64=rms_norm__final__index64,
    )

    TILE_I = min(512 // D.itemsize, _power_of_two(N))
    TILE_ROW = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_I, _power_of_two(grid_x))
    apply_stage = _Stage(
        rms_norm__apply,
        lambda meta: (triton.cdiv(N, meta["TILE_I"]) * triton.cdiv(grid_x, meta["TILE_ROW"]),),
        x_ptr,
        weight_ptr,
        y_ptr,
        N,
        eps,
        squares_total,
        grid_x,
        TILE_ROW=TILE_ROW,
        TILE_I=TILE_I,
        ALIGN_N=ALIGN_N,
        num_warps=4,
        tuned=rms_norm__apply_tuned,
        index64=rms_norm__apply__index64,
    )
    return [partial_stage, final_stage, apply_stage]



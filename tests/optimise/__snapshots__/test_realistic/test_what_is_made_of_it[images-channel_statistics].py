# split-index: `i` is taken apart into `i_high` and `i_low` below HW
# vectorise-loop: TILE_I_HIGH indices of `i_high` in `channel_statistics__flat_partial`
# split-reduction: the loop over `i_high` is shared out among programs
# block-axis: TILE_FLAT indices of `flat` in `channel_statistics__flat_partial`
# vectorise-loop: TILE_I_HIGH indices of `i_high` in `channel_statistics__flat_partial_2`
# block-axis: TILE_FLAT indices of `flat` in `channel_statistics__flat_partial_2`
# split-kernel: 4 launches: channel_statistics__flat_partial, channel_statistics__flat_final, channel_statistics__flat_partial_2, channel_statistics__flat_final_2
# collapse-axes: `c` and `i_low` share lanes where `i_low` has fewer than 1024 indices
# vectorise-loop: TILE_I_HIGH indices of `i_high` in `channel_statistics__partial`
# vectorise-loop: TILE_I_LOW indices of `i_low` in `channel_statistics__partial`
# split-reduction: the loop over `i_low` is shared out among programs
# block-axis: TILE_C indices of `c` in `channel_statistics__final`
# vectorise-loop: TILE_I_HIGH indices of `i_high` in `channel_statistics__partial_2`
# vectorise-loop: TILE_I_LOW indices of `i_low` in `channel_statistics__partial_2`
# block-axis: TILE_C indices of `c` in `channel_statistics__final_2`
# split-kernel: 4 launches: channel_statistics__partial, channel_statistics__final, channel_statistics__partial_2, channel_statistics__final_2


@triton.jit
def channel_statistics__flat_partial(
    x_ptr,
    N,
    C,
    HW,
    sum_partials,
    grid_x,
    i_high_per_share,
    TILE_I_HIGH: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_HW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `i_high` to a partial result of `sum`.

    Launch 1 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    HW = (HW // ALIGN_HW) * ALIGN_HW
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(grid_x * HW, TILE_FLAT)
    flat_tile = pid % flat_tiles
    share = pid // flat_tiles
    # collapse-axes: flat counts all i_low of each c.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < grid_x * HW
    # split-reduction: the program's share of i_high.
    share_start = share * i_high_per_share
    share_end = tl.minimum(share_start + i_high_per_share, N)

    sum = tl.zeros([TILE_I_HIGH, TILE_FLAT], D)
    for i_high_start in tl.range(
        share_start,
        share_end,
        TILE_I_HIGH,
        num_stages=4 if ALIGN_C * ALIGN_HW > 1 and ALIGN_HW * ALIGN_GRID_X > 1 else 1,
    ):
        # vectorise-loop: TILE_I_HIGH indices of i_high at a time.
        i_high = i_high_start + tl.arange(0, TILE_I_HIGH)[:, None]
        mask = flat_mask & (i_high < share_end)
        sum += tl.load(x_ptr + (i_high * C * HW + flat), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = share * grid_x * HW + flat
    tl.store(sum_partials + slot, sum, mask=flat_mask)


@triton.jit
def channel_statistics__flat_final(
    HW,
    sum_partials,
    sum_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_I_LOW: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Combines the partial results of `sum`.

    Launch 2 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        sum_partials.dtype.element_ty
        if sum_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    c = tl.program_id(0)

    sum = tl.zeros([TILE_PART, TILE_I_LOW], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        part_mask = part < parts
        for i_low_start in range(0, HW, TILE_I_LOW):
            i_low = i_low_start + tl.arange(0, TILE_I_LOW)[None, :]
            mask = part_mask & (i_low < HW)
            slot = (part * grid_x + c) * HW + i_low
            sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum)
    tl.store(sum_total + c, sum)


@triton.jit
def channel_statistics__flat_partial_2(
    x_ptr,
    N,
    C,
    HW,
    sum_total,
    squares_partials,
    grid_x,
    i_high_per_share,
    TILE_I_HIGH: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_HW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `i_high` to a partial result of `squares`.

    Launch 3 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    HW = (HW // ALIGN_HW) * ALIGN_HW
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(grid_x * HW, TILE_FLAT)
    flat_tile = pid % flat_tiles
    share = pid // flat_tiles
    # collapse-axes: flat counts all i_low of each c.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < grid_x * HW
    # split-reduction: the program's share of i_high.
    share_start = share * i_high_per_share
    share_end = tl.minimum(share_start + i_high_per_share, N)

    c = flat // HW
    sum = tl.load(sum_total + c, mask=flat_mask)
    count = tl.cast(N * HW, D)
    mean = sum / count
    squares = tl.zeros([TILE_I_HIGH, TILE_FLAT], D)
    for i_high_start in tl.range(
        share_start,
        share_end,
        TILE_I_HIGH,
        num_stages=4 if ALIGN_C * ALIGN_HW > 1 and ALIGN_HW * ALIGN_GRID_X > 1 else 1,
    ):
        # vectorise-loop: TILE_I_HIGH indices of i_high at a time.
        i_high = i_high_start + tl.arange(0, TILE_I_HIGH)[:, None]
        i_high_mask = i_high < share_end
        mask = flat_mask & i_high_mask
        centred = tl.load(x_ptr + (i_high * C * HW + flat), mask=mask).to(D) - mean
        squares += tl.where(i_high_mask, centred * centred, 0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)

    slot = share * grid_x * HW + flat
    tl.store(squares_partials + slot, squares, mask=flat_mask)


@triton.jit
def channel_statistics__flat_final_2(
    mean_ptr,
    var_ptr,
    N,
    HW,
    sum_total,
    squares_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_I_LOW: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Combines the partial results of `squares`, and stores what is made of them.

    Launch 4 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        mean_ptr.dtype.element_ty
        if mean_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    c = tl.program_id(0)

    squares = tl.zeros([TILE_PART, TILE_I_LOW], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        part_mask = part < parts
        for i_low_start in range(0, HW, TILE_I_LOW):
            i_low = i_low_start + tl.arange(0, TILE_I_LOW)[None, :]
            mask = part_mask & (i_low < HW)
            slot = (part * grid_x + c) * HW + i_low
            squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    squares = tl.sum(squares)
    sum = tl.load(sum_total + c)
    count = tl.cast(N * HW, D)
    mean = sum / count
    tl.store(mean_ptr + c, mean)
    tl.store(var_ptr + c, squares / count)


@triton.jit
def channel_statistics__partial(
    x_ptr,
    N,
    C,
    HW,
    sum_partials,
    grid_x,
    i_high_per_share,
    TILE_I_HIGH: tl.constexpr,
    TILE_I_LOW: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `i_high` and `i_low` to a partial result of `sum`.

    Launch 1 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    i_low_tiles = tl.cdiv(HW, TILE_I_LOW)
    i_low_tile = pid % i_low_tiles
    c = (pid // i_low_tiles) % grid_x
    share = pid // (i_low_tiles * grid_x)
    # split-reduction: a program does TILE_I_LOW indices of i_low.
    i_low = i_low_tile * TILE_I_LOW + tl.arange(0, TILE_I_LOW)[None, :]
    i_low_mask = i_low < HW
    # split-reduction: the program's share of i_high.
    share_start = share * i_high_per_share
    share_end = tl.minimum(share_start + i_high_per_share, N)

    sum = tl.zeros([TILE_I_HIGH, TILE_I_LOW], D)
    for i_high_start in range(share_start, share_end, TILE_I_HIGH):
        # vectorise-loop: TILE_I_HIGH indices of i_high at a time.
        i_high = i_high_start + tl.arange(0, TILE_I_HIGH)[:, None]
        mask = i_low_mask & (i_high < share_end)
        sum += tl.load(x_ptr + (i_high * C * HW + c * HW + i_low), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum)

    slot = (share * i_low_tiles + i_low_tile) * grid_x + c
    tl.store(sum_partials + slot, sum)


@triton.jit
def channel_statistics__final(
    sum_partials,
    sum_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`.

    Launch 2 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        sum_partials.dtype.element_ty
        if sum_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sum = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = part * grid_x + c
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(sum_total + c, sum, mask=c_mask)


@triton.jit
def channel_statistics__partial_2(
    x_ptr,
    N,
    C,
    HW,
    sum_total,
    squares_partials,
    grid_x,
    i_high_per_share,
    TILE_I_HIGH: tl.constexpr,
    TILE_I_LOW: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `i_high` and `i_low` to a partial result of `squares`.

    Launch 3 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    i_low_tiles = tl.cdiv(HW, TILE_I_LOW)
    i_low_tile = pid % i_low_tiles
    c = (pid // i_low_tiles) % grid_x
    share = pid // (i_low_tiles * grid_x)
    # split-reduction: a program does TILE_I_LOW indices of i_low.
    i_low = i_low_tile * TILE_I_LOW + tl.arange(0, TILE_I_LOW)[None, :]
    i_low_mask = i_low < HW
    # split-reduction: the program's share of i_high.
    share_start = share * i_high_per_share
    share_end = tl.minimum(share_start + i_high_per_share, N)

    sum = tl.load(sum_total + c)
    count = tl.cast(N * HW, D)
    mean = sum / count
    squares = tl.zeros([TILE_I_HIGH, TILE_I_LOW], D)
    for i_high_start in range(share_start, share_end, TILE_I_HIGH):
        # vectorise-loop: TILE_I_HIGH indices of i_high at a time.
        i_high = i_high_start + tl.arange(0, TILE_I_HIGH)[:, None]
        mask = i_low_mask & (i_high < share_end)
        centred = tl.load(x_ptr + (i_high * C * HW + c * HW + i_low), mask=mask).to(D) - mean
        squares += tl.where(mask, centred * centred, 0.0)
    squares = tl.sum(squares)

    slot = (share * i_low_tiles + i_low_tile) * grid_x + c
    tl.store(squares_partials + slot, squares)


@triton.jit
def channel_statistics__final_2(
    mean_ptr,
    var_ptr,
    N,
    HW,
    sum_total,
    squares_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `squares`, and stores what is made of them.

    Launch 4 of 4 in the place of `channel_statistics`.
    """
    D: tl.constexpr = (
        mean_ptr.dtype.element_ty
        if mean_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    squares = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = part * grid_x + c
        squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    sum = tl.load(sum_total + c, mask=c_mask)
    count = tl.cast(N * HW, D)
    mean = sum / count
    tl.store(mean_ptr + c, mean, mask=c_mask)
    tl.store(var_ptr + c, squares / count, mask=c_mask)


def _plan_channel_statistics(grid, x_ptr, mean_ptr, var_ptr, N, C, HW, *, D):
    """What is launched in the place of `channel_statistics`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or HW < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Short i_low share the lanes of tiles with c.
    if HW < 1024:
        TILE_FLAT = min(64, _power_of_two(grid_x * HW))
        TILE_I_HIGH = min(
            4096 // TILE_FLAT,
            _power_of_two(N),
            max(16, _power_of_two(N * triton.cdiv(grid_x * HW, TILE_FLAT) // 1056)),
        )
        # 264 programs share i_high, each at least four tiles of it.
        i_high_shares = max(
            1, min(triton.cdiv(N, 4 * TILE_I_HIGH), 264 // triton.cdiv(grid_x * HW, TILE_FLAT))
        )
        i_high_per_share = triton.cdiv(N, i_high_shares)
        parts = triton.cdiv(N, i_high_per_share)
        sum_partials = _Scratch(_arithmetic(D), parts * grid_x * HW)
        sum_total = _Scratch(_arithmetic(D), grid_x)
        squares_partials = _Scratch(_arithmetic(D), parts * grid_x * HW)

        ALIGN_C = _alignment(C, 16)
        ALIGN_HW = _alignment(HW, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        flat_partial_stage = _Stage(
            channel_statistics__flat_partial,
            (triton.cdiv(grid_x * HW, TILE_FLAT) * parts,),
            x_ptr,
            N,
            C,
            HW,
            sum_partials,
            grid_x,
            i_high_per_share,
            TILE_I_HIGH=TILE_I_HIGH,
            TILE_FLAT=TILE_FLAT,
            ALIGN_C=ALIGN_C,
            ALIGN_HW=ALIGN_HW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=max(4, 8 // min(ALIGN_C * ALIGN_HW, ALIGN_HW * ALIGN_GRID_X)),
            tuned=channel_statistics__flat_partial_tuned,
            index64=channel_statistics__flat_partial__index64,
        )

        TILE_I_LOW = min(1024, _power_of_two(HW))
        TILE_PART = min(2048 // TILE_I_LOW, _power_of_two(parts))
        flat_final_stage = _Stage(
            channel_statistics__flat_final,
            (grid_x,),
            HW,
            sum_partials,
            sum_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_I_LOW=TILE_I_LOW,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=channel_statistics__flat_final_tuned,
            index64=channel_statistics__flat_final__index64,
        )

        flat_partial_2_stage = _Stage(
            channel_statistics__flat_partial_2,
            (triton.cdiv(grid_x * HW, TILE_FLAT) * parts,),
            x_ptr,
            N,
            C,
            HW,
            sum_total,
            squares_partials,
            grid_x,
            i_high_per_share,
            TILE_I_HIGH=TILE_I_HIGH,
            TILE_FLAT=TILE_FLAT,
            ALIGN_C=ALIGN_C,
            ALIGN_HW=ALIGN_HW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=max(4, 8 // min(ALIGN_C * ALIGN_HW, ALIGN_HW * ALIGN_GRID_X)),
            tuned=channel_statistics__flat_partial_2_tuned,
            index64=channel_statistics__flat_partial_2__index64,
        )

        flat_final_2_stage = _Stage(
            channel_statistics__flat_final_2,
            (grid_x,),
            mean_ptr,
            var_ptr,
            N,
            HW,
            sum_total,
            squares_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_I_LOW=TILE_I_LOW,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=channel_statistics__flat_final_2_tuned,
            index64=channel_statistics__flat_final_2__index64,
        )
        return [flat_partial_stage, flat_final_stage, flat_partial_2_stage, flat_final_2_stage]

    TILE_I_LOW = min(1024, _power_of_two(HW))
    TILE_I_HIGH = min(4096 // TILE_I_LOW, _power_of_two(N))
    # 2048 programs share i_high, each at least four tiles of it.
    i_high_shares = max(
        1, min(triton.cdiv(N, 4 * TILE_I_HIGH), 2048 // (triton.cdiv(HW, TILE_I_LOW) * grid_x))
    )
    i_high_per_share = triton.cdiv(N, i_high_shares)
    i_high_parts = triton.cdiv(N, i_high_per_share)
    parts = i_high_parts * triton.cdiv(HW, TILE_I_LOW)
    sum_partials = _Scratch(_arithmetic(D), parts * grid_x)
    sum_total = _Scratch(_arithmetic(D), grid_x)
    squares_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_HW = _alignment(HW, 16)
    partial_stage = _Stage(
        channel_statistics__partial,
        (triton.cdiv(HW, TILE_I_LOW) * grid_x * i_high_parts,),
        x_ptr,
        N,
        C,
        HW,
        sum_partials,
        grid_x,
        i_high_per_share,
        TILE_I_HIGH=TILE_I_HIGH,
        TILE_I_LOW=TILE_I_LOW,
        ALIGN_HW=ALIGN_HW,
        num_warps=4,
        tuned=channel_statistics__partial_tuned,
        index64=channel_statistics__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        channel_statistics__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
        sum_partials,
        sum_total,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=channel_statistics__final_tuned,
        index64=channel_statistics__final__index64,
    )

    partial_2_stage = _Stage(
        channel_statistics__partial_2,
        (triton.cdiv(HW, TILE_I_LOW) * grid_x * i_high_parts,),
        x_ptr,
        N,
        C,
        HW,
        sum_total,
        squares_partials,
        grid_x,
        i_high_per_share,
        TILE_I_HIGH=TILE_I_HIGH,
        TILE_I_LOW=TILE_I_LOW,
        ALIGN_HW=ALIGN_HW,
        num_warps=4,
        tuned=channel_statistics__partial_2_tuned,
        index64=channel_statistics__partial_2__index64,
    )

    final_2_stage = _Stage(
        channel_statistics__final_2,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
        mean_ptr,
        var_ptr,
        N,
        HW,
        sum_total,
        squares_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=channel_statistics__final_2_tuned,
        index64=channel_statistics__final_2__index64,
    )
    return [partial_stage, final_stage, partial_2_stage, final_2_stage]



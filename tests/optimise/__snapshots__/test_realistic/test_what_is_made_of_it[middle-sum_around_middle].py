# vectorise-loop: TILE_B indices of `b` in `sum_around_middle__flat_partial`
# split-reduction: the loop over `b` is shared out among programs
# block-axis: TILE_FLAT indices of `flat` in `sum_around_middle__flat_partial`
# split-kernel: 2 launches: sum_around_middle__flat_partial, sum_around_middle__flat_final
# collapse-axes: `s` and `c` share lanes where `c` has fewer than 1024 indices
# vectorise-loop: TILE_B indices of `b` in `sum_around_middle__partial`
# vectorise-loop: TILE_C indices of `c` in `sum_around_middle__partial`
# split-reduction: the loop over `c` is shared out among programs
# block-axis: TILE_S indices of `s` in `sum_around_middle__final`
# split-kernel: 2 launches: sum_around_middle__partial, sum_around_middle__final


@triton.jit
def sum_around_middle__flat_partial(
    x_ptr,
    B,
    S,
    C,
    sum_partials,
    grid_x,
    b_per_share,
    TILE_B: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_S: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `b` to a partial result of `sum`.

    Launch 1 of 2 in the place of `sum_around_middle`.
    """
    D: tl.constexpr = (
        tl.float32
        if x_ptr.dtype.element_ty == tl.float16 or x_ptr.dtype.element_ty == tl.bfloat16
        else x_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    S = (S // ALIGN_S) * ALIGN_S
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(grid_x * C, TILE_FLAT)
    flat_tile = pid % flat_tiles
    share = pid // flat_tiles
    # collapse-axes: flat counts all c of each s.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < grid_x * C
    # split-reduction: the program's share of b.
    share_start = share * b_per_share
    share_end = tl.minimum(share_start + b_per_share, B)

    sum = tl.zeros([TILE_B, TILE_FLAT], D)
    for b_start in tl.range(
        share_start,
        share_end,
        TILE_B,
        num_stages=4 if ALIGN_S * ALIGN_C > 1 and ALIGN_C * ALIGN_GRID_X > 1 else 1,
    ):
        # vectorise-loop: TILE_B indices of b at a time.
        b = b_start + tl.arange(0, TILE_B)[:, None]
        mask = flat_mask & (b < share_end)
        sum += tl.load(x_ptr + (b * S * C + flat), mask=mask, other=0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True).to(D)

    slot = share * grid_x * C + flat
    tl.store(sum_partials + slot, sum, mask=flat_mask)


@triton.jit
def sum_around_middle__flat_final(
    y_ptr,
    C,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `sum_around_middle`.
    """
    D: tl.constexpr = (
        tl.float32
        if y_ptr.dtype.element_ty == tl.float16 or y_ptr.dtype.element_ty == tl.bfloat16
        else y_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    s = tl.program_id(0)

    sum = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        part_mask = part < parts
        for c_start in range(0, C, TILE_C):
            c = c_start + tl.arange(0, TILE_C)[None, :]
            mask = part_mask & (c < C)
            slot = (part * grid_x + s) * C + c
            sum += tl.load(sum_partials + slot, mask=mask, other=0)
    sum = tl.sum(sum).to(D)
    tl.store(y_ptr + s, sum)


@triton.jit
def sum_around_middle__partial(
    x_ptr,
    B,
    S,
    C,
    sum_partials,
    grid_x,
    b_per_share,
    TILE_B: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `b` and `c` to a partial result of `sum`.

    Launch 1 of 2 in the place of `sum_around_middle`.
    """
    D: tl.constexpr = (
        tl.float32
        if x_ptr.dtype.element_ty == tl.float16 or x_ptr.dtype.element_ty == tl.bfloat16
        else x_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    s = (pid // c_tiles) % grid_x
    share = pid // (c_tiles * grid_x)
    # split-reduction: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < C
    # split-reduction: the program's share of b.
    share_start = share * b_per_share
    share_end = tl.minimum(share_start + b_per_share, B)

    sum = tl.zeros([TILE_B, TILE_C], D)
    for b_start in range(share_start, share_end, TILE_B):
        # vectorise-loop: TILE_B indices of b at a time.
        b = b_start + tl.arange(0, TILE_B)[:, None]
        mask = c_mask & (b < share_end)
        sum += tl.load(x_ptr + ((b * S + s) * C + c), mask=mask, other=0).to(D)
    sum = tl.sum(sum).to(D)

    slot = (share * c_tiles + c_tile) * grid_x + s
    tl.store(sum_partials + slot, sum)


@triton.jit
def sum_around_middle__final(
    y_ptr,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_S: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `sum_around_middle`.
    """
    D: tl.constexpr = (
        tl.float32
        if y_ptr.dtype.element_ty == tl.float16 or y_ptr.dtype.element_ty == tl.bfloat16
        else y_ptr.dtype.element_ty
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    s_tile = tl.program_id(0)
    # block-axis: a program does TILE_S indices of s.
    s = s_tile * TILE_S + tl.arange(0, TILE_S)[None, :]
    s_mask = s < grid_x

    sum = tl.zeros([TILE_PART, TILE_S], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = s_mask & (part < parts)
        slot = part * grid_x + s
        sum += tl.load(sum_partials + slot, mask=mask, other=0)
    sum = tl.sum(sum, axis=0, keep_dims=True).to(D)
    tl.store(y_ptr + s, sum, mask=s_mask)


def _plan_sum_around_middle(grid, x_ptr, y_ptr, B, S, C, *, D):
    """What is launched in the place of `sum_around_middle`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if B < 1 or C < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Short c share the lanes of tiles with s.
    if C < 1024:
        TILE_FLAT = min(64, _power_of_two(grid_x * C))
        TILE_B = min(
            4096 // TILE_FLAT,
            _power_of_two(B),
            max(16, _power_of_two(B * triton.cdiv(grid_x * C, TILE_FLAT) // 1056)),
        )
        # 264 programs share b, each at least four tiles of it.
        b_shares = max(
            1, min(triton.cdiv(B, 4 * TILE_B), 264 // triton.cdiv(grid_x * C, TILE_FLAT))
        )
        b_per_share = triton.cdiv(B, b_shares)
        parts = triton.cdiv(B, b_per_share)
        sum_partials = _Scratch(_arithmetic(D), parts * grid_x * C)

        ALIGN_S = _alignment(S, 16)
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        flat_partial_stage = _Stage(
            sum_around_middle__flat_partial,
            (triton.cdiv(grid_x * C, TILE_FLAT) * parts,),
            x_ptr,
            B,
            S,
            C,
            sum_partials,
            grid_x,
            b_per_share,
            TILE_B=TILE_B,
            TILE_FLAT=TILE_FLAT,
            ALIGN_S=ALIGN_S,
            ALIGN_C=ALIGN_C,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=max(4, 8 // min(ALIGN_S * ALIGN_C, ALIGN_C * ALIGN_GRID_X)),
            tuned=sum_around_middle__flat_partial_tuned,
            index64=sum_around_middle__flat_partial__index64,
        )

        TILE_C = min(1024, _power_of_two(C))
        TILE_PART = min(2048 // TILE_C, _power_of_two(parts))
        flat_final_stage = _Stage(
            sum_around_middle__flat_final,
            (grid_x,),
            y_ptr,
            C,
            sum_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_C=TILE_C,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=sum_around_middle__flat_final_tuned,
            index64=sum_around_middle__flat_final__index64,
        )
        return [flat_partial_stage, flat_final_stage]

    TILE_C = min(1024, _power_of_two(C))
    TILE_B = min(4096 // TILE_C, _power_of_two(B))
    # 2048 programs share b, each at least four tiles of it.
    b_shares = max(1, min(triton.cdiv(B, 4 * TILE_B), 2048 // (triton.cdiv(C, TILE_C) * grid_x)))
    b_per_share = triton.cdiv(B, b_shares)
    b_parts = triton.cdiv(B, b_per_share)
    parts = b_parts * triton.cdiv(C, TILE_C)
    sum_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_C = _alignment(C, 16)
    partial_stage = _Stage(
        sum_around_middle__partial,
        (triton.cdiv(C, TILE_C) * grid_x * b_parts,),
        x_ptr,
        B,
        S,
        C,
        sum_partials,
        grid_x,
        b_per_share,
        TILE_B=TILE_B,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        num_warps=4,
        tuned=sum_around_middle__partial_tuned,
        index64=sum_around_middle__partial__index64,
    )

    TILE_S = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_S, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        sum_around_middle__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_S"]),),
        y_ptr,
        sum_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_S=TILE_S,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=sum_around_middle__final_tuned,
        index64=sum_around_middle__final__index64,
    )
    return [partial_stage, final_stage]



# split-index: `pid` of the grid is taken apart into `b` and `w` and `c`
# vectorise-loop: TILE_S indices of `s` in `program_of_three_digits__whole`
# block-axis: TILE_C indices of `c` in `program_of_three_digits__whole`
# vectorise-loop: TILE_S indices of `s` in `program_of_three_digits__flat_partial`
# split-reduction: the loop over `s` is shared out among programs
# block-axis: TILE_FLAT indices of `flat` in `program_of_three_digits__flat_partial`
# block-axis: TILE_FLAT indices of `flat` in `program_of_three_digits__flat_final`
# split-kernel: 2 launches: program_of_three_digits__flat_partial, program_of_three_digits__flat_final
# collapse-axes: `w` and `c` share lanes where `c` has fewer than 1024 indices
# vectorise-loop: TILE_S indices of `s` in `program_of_three_digits__partial`
# block-axis: TILE_C indices of `c` in `program_of_three_digits__partial`
# block-axis: TILE_C indices of `c` in `program_of_three_digits__final`
# split-kernel: 2 launches: program_of_three_digits__partial, program_of_three_digits__final


@triton.jit
def program_of_three_digits__whole(
    x_ptr,
    y_ptr,
    S,
    W,
    C,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `program_of_three_digits`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    w = (pid // c_tiles) % W
    b = pid // (c_tiles * W)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < C

    sum = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(0, S, TILE_S, num_stages=4 if ALIGN_C > 1 else 1):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        mask = c_mask & (s < S)
        sum += tl.load(x_ptr + (((b * S + s) * W + w) * C + c), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + ((b * W + w) * C + c), sum, mask=c_mask)


@triton.jit
def program_of_three_digits__flat_partial(
    x_ptr,
    S,
    W,
    C,
    sum_partials,
    b_end,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_W: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `s` to a partial result of `sum`.

    Launch 1 of 2 in the place of `program_of_three_digits`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    W = (W // ALIGN_W) * ALIGN_W
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(W * C, TILE_FLAT)
    flat_tile = pid % flat_tiles
    b = (pid // flat_tiles) % b_end
    share = pid // (flat_tiles * b_end)
    # collapse-axes: flat counts all c of each w.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < W * C
    # split-reduction: the program's share of s.
    share_start = share * s_per_share
    share_end = tl.minimum(share_start + s_per_share, S)

    sum = tl.zeros([TILE_S, TILE_FLAT], D)
    for s_start in tl.range(
        share_start, share_end, TILE_S, num_stages=4 if ALIGN_W * ALIGN_C > 1 else 1
    ):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        mask = flat_mask & (s < share_end)
        sum += tl.load(x_ptr + (b * S * W * C + s * W * C + flat), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = b * W * C + share * W * C * b_end + flat
    tl.store(sum_partials + slot, sum, mask=flat_mask)


@triton.jit
def program_of_three_digits__flat_final(
    y_ptr,
    W,
    C,
    sum_partials,
    b_end,
    parts,
    TILE_PART: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_W: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `program_of_three_digits`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    W = (W // ALIGN_W) * ALIGN_W
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(W * C, TILE_FLAT)
    flat_tile = pid % flat_tiles
    b = pid // flat_tiles
    # collapse-axes: flat counts all c of each w.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < W * C

    sum = tl.zeros([TILE_PART, TILE_FLAT], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = flat_mask & (part < parts)
        slot = part * W * C * b_end + b * W * C + flat
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * W * C + flat), sum, mask=flat_mask)


@triton.jit
def program_of_three_digits__partial(
    x_ptr,
    S,
    W,
    C,
    sum_partials,
    b_end,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `s` to a partial result of `sum`.

    Launch 1 of 2 in the place of `program_of_three_digits`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    w = (pid // c_tiles) % W
    b = (pid // (c_tiles * W)) % b_end
    share = pid // (c_tiles * W * b_end)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < C
    # split-reduction: the program's share of s.
    share_start = share * s_per_share
    share_end = tl.minimum(share_start + s_per_share, S)

    sum = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(share_start, share_end, TILE_S, num_stages=4 if ALIGN_C > 1 else 1):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        mask = c_mask & (s < share_end)
        sum += tl.load(x_ptr + (((b * S + s) * W + w) * C + c), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = ((share * b_end + b) * W + w) * C + c
    tl.store(sum_partials + slot, sum, mask=c_mask)


@triton.jit
def program_of_three_digits__final(
    y_ptr,
    W,
    C,
    sum_partials,
    b_end,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `program_of_three_digits`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    w = (pid // c_tiles) % W
    b = pid // (c_tiles * W)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < C

    sum = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = ((part * b_end + b) * W + w) * C + c
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + ((b * W + w) * C + c), sum, mask=c_mask)


def _plan_program_of_three_digits(grid, x_ptr, y_ptr, S, W, C, *, D):
    """What is launched in the place of `program_of_three_digits`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if (
        W < 1
        or C < 1
        or S < 1
        or (grid_x // C) * C < grid_x
        or (grid_x // C // W) * W < grid_x // C
        or grid_y > 1
        or grid_z > 1
    ):
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, C * W * (grid_x // C // W)) >= S:
        pid_high_end = grid_x // C
        b_end = pid_high_end // W
        TILE_C = min(32, _power_of_two(C), max(8, _power_of_two(C * W * b_end // 128)))
        TILE_S = min({1: 256, 2: 256, 4: 128, 8: 128}[D.itemsize], _power_of_two(triton.cdiv(S, 4)))
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                program_of_three_digits__whole,
                lambda meta: (triton.cdiv(C, meta["TILE_C"]) * W * b_end,),
                x_ptr,
                y_ptr,
                S,
                W,
                C,
                TILE_S=TILE_S,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                num_warps=max(4, 8 // ALIGN_C),
                tuned=program_of_three_digits__whole_tuned,
                index64=program_of_three_digits__whole__index64,
            )
        ]

    # Short c share the lanes of tiles with w.
    if C < 1024:
        TILE_FLAT = min(64, _power_of_two(W * C))
        pid_high_end = grid_x // C
        b_end = pid_high_end // W
        TILE_S = min(
            4096 // TILE_FLAT,
            _power_of_two(S),
            max(16, _power_of_two(S * triton.cdiv(W * C, TILE_FLAT) * b_end // 1056)),
        )
        # 264 programs share s, each at least four tiles of it.
        s_shares = max(
            1, min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(W * C, TILE_FLAT) * b_end))
        )
        s_per_share = triton.cdiv(S, s_shares)
        parts = triton.cdiv(S, s_per_share)
        sum_partials = _Scratch(_arithmetic(D), parts * (C * W * b_end))

        ALIGN_W = _alignment(W, 16)
        ALIGN_C = _alignment(C, 16)
        flat_partial_stage = _Stage(
            program_of_three_digits__flat_partial,
            (triton.cdiv(W * C, TILE_FLAT) * b_end * parts,),
            x_ptr,
            S,
            W,
            C,
            sum_partials,
            b_end,
            s_per_share,
            TILE_S=TILE_S,
            TILE_FLAT=TILE_FLAT,
            ALIGN_W=ALIGN_W,
            ALIGN_C=ALIGN_C,
            num_warps=max(4, 8 // (ALIGN_W * ALIGN_C)),
            tuned=program_of_three_digits__flat_partial_tuned,
            index64=program_of_three_digits__flat_partial__index64,
        )

        TILE_FLAT = min(4, _power_of_two(W * C))
        TILE_PART = min(1024 // TILE_FLAT, _power_of_two(parts))
        flat_final_stage = _Stage(
            program_of_three_digits__flat_final,
            lambda meta: (triton.cdiv(W * C, meta["TILE_FLAT"]) * b_end,),
            y_ptr,
            W,
            C,
            sum_partials,
            b_end,
            parts,
            TILE_PART=TILE_PART,
            TILE_FLAT=TILE_FLAT,
            ALIGN_W=ALIGN_W,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=program_of_three_digits__flat_final_tuned,
            index64=program_of_three_digits__flat_final__index64,
        )
        return [flat_partial_stage, flat_final_stage]

    TILE_C = min(64, _power_of_two(C))
    pid_high_end = grid_x // C
    b_end = pid_high_end // W
    TILE_S = min(
        4096 // TILE_C,
        _power_of_two(S),
        max(16, _power_of_two(S * triton.cdiv(C, TILE_C) * W * b_end // 1056)),
    )
    # 264 programs share s, each at least four tiles of it.
    s_shares = max(1, min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(C, TILE_C) * W * b_end)))
    s_per_share = triton.cdiv(S, s_shares)
    parts = triton.cdiv(S, s_per_share)
    sum_partials = _Scratch(_arithmetic(D), parts * (C * W * b_end))

    ALIGN_C = _alignment(C, 16)
    partial_stage = _Stage(
        program_of_three_digits__partial,
        (triton.cdiv(C, TILE_C) * W * b_end * parts,),
        x_ptr,
        S,
        W,
        C,
        sum_partials,
        b_end,
        s_per_share,
        TILE_S=TILE_S,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        num_warps=max(4, 8 // ALIGN_C),
        tuned=program_of_three_digits__partial_tuned,
        index64=program_of_three_digits__partial__index64,
    )

    TILE_C = min(4, _power_of_two(C))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    final_stage = _Stage(
        program_of_three_digits__final,
        lambda meta: (triton.cdiv(C, meta["TILE_C"]) * W * b_end,),
        y_ptr,
        W,
        C,
        sum_partials,
        b_end,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        num_warps=4,
        tuned=program_of_three_digits__final_tuned,
        index64=program_of_three_digits__final__index64,
    )
    return [partial_stage, final_stage]



# split-index: `pid` of the grid is taken apart into `b` and `c`
# vectorise-loop: TILE_S indices of `s` in `program_taken_apart__whole`
# block-axis: TILE_C indices of `c` in `program_taken_apart__whole`
# vectorise-loop: TILE_S indices of `s` in `program_taken_apart__partial`
# split-reduction: the loop over `s` is shared out among programs
# block-axis: TILE_C indices of `c` in `program_taken_apart__partial`
# block-axis: TILE_C indices of `c` in `program_taken_apart__final`
# split-kernel: 2 launches: program_taken_apart__partial, program_taken_apart__final


@triton.jit
def program_taken_apart__whole(
    x_ptr,
    y_ptr,
    S,
    C,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `program_taken_apart`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    b = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < C

    sum = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(0, S, TILE_S, num_stages=4 if ALIGN_C > 1 else 1):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        mask = c_mask & (s < S)
        sum += tl.load(x_ptr + ((b * S + s) * C + c), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), sum, mask=c_mask)


@triton.jit
def program_taken_apart__partial(
    x_ptr,
    S,
    C,
    sum_partials,
    b_end,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `s` to a partial result of `sum`.

    Launch 1 of 2 in the place of `program_taken_apart`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    b = (pid // c_tiles) % b_end
    share = pid // (c_tiles * b_end)
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
        sum += tl.load(x_ptr + ((b * S + s) * C + c), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = (share * b_end + b) * C + c
    tl.store(sum_partials + slot, sum, mask=c_mask)


@triton.jit
def program_taken_apart__final(
    y_ptr,
    C,
    sum_partials,
    b_end,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `program_taken_apart`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    b = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < C

    sum = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = (part * b_end + b) * C + c
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), sum, mask=c_mask)


def _plan_program_taken_apart(grid, x_ptr, y_ptr, S, C, *, D):
    """What is launched in the place of `program_taken_apart`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or S < 1 or (grid_x // C) * C < grid_x or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, C * (grid_x // C)) >= S:
        b_end = grid_x // C
        TILE_C = min(32, _power_of_two(C), max(8, _power_of_two(C * b_end // 128)))
        TILE_S = min({1: 256, 2: 256, 4: 128, 8: 128}[D.itemsize], _power_of_two(triton.cdiv(S, 4)))
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                program_taken_apart__whole,
                lambda meta: (triton.cdiv(C, meta["TILE_C"]) * b_end,),
                x_ptr,
                y_ptr,
                S,
                C,
                TILE_S=TILE_S,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                num_warps=max(4, 8 // ALIGN_C),
                tuned=program_taken_apart__whole_tuned,
                index64=program_taken_apart__whole__index64,
            )
        ]

    TILE_C = min(64, _power_of_two(C))
    b_end = grid_x // C
    TILE_S = min(
        4096 // TILE_C,
        _power_of_two(S),
        max(16, _power_of_two(S * triton.cdiv(C, TILE_C) * b_end // 1056)),
    )
    # 264 programs share s, each at least four tiles of it.
    s_shares = max(1, min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(C, TILE_C) * b_end)))
    s_per_share = triton.cdiv(S, s_shares)
    parts = triton.cdiv(S, s_per_share)
    sum_partials = _Scratch(_arithmetic(D), parts * (C * b_end))

    ALIGN_C = _alignment(C, 16)
    partial_stage = _Stage(
        program_taken_apart__partial,
        (triton.cdiv(C, TILE_C) * b_end * parts,),
        x_ptr,
        S,
        C,
        sum_partials,
        b_end,
        s_per_share,
        TILE_S=TILE_S,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        num_warps=max(4, 8 // ALIGN_C),
        tuned=program_taken_apart__partial_tuned,
        index64=program_taken_apart__partial__index64,
    )

    TILE_C = min(4, _power_of_two(C))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    final_stage = _Stage(
        program_taken_apart__final,
        lambda meta: (triton.cdiv(C, meta["TILE_C"]) * b_end,),
        y_ptr,
        C,
        sum_partials,
        b_end,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        num_warps=4,
        tuned=program_taken_apart__final_tuned,
        index64=program_taken_apart__final__index64,
    )
    return [partial_stage, final_stage]



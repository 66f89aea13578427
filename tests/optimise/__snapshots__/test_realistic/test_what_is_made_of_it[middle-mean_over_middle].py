# vectorise-loop: TILE_S indices of `s` in `mean_over_middle__whole`
# block-axis: TILE_C indices of `c` in `mean_over_middle__whole`
# vectorise-loop: TILE_S indices of `s` in `mean_over_middle__partial`
# split-reduction: the loop over `s` is shared out among programs
# block-axis: TILE_C indices of `c` in `mean_over_middle__partial`
# block-axis: TILE_C indices of `c` in `mean_over_middle__final`
# split-kernel: 2 launches: mean_over_middle__partial, mean_over_middle__final


@triton.jit
def mean_over_middle__whole(
    x_ptr,
    y_ptr,
    S,
    C,
    grid_x,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `mean_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    b = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sum = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(0, S, TILE_S, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        mask = c_mask & (s < S)
        sum += tl.load(x_ptr + ((b * S + s) * C + c), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), sum / tl.cast(S, D), mask=c_mask)


@triton.jit
def mean_over_middle__partial(
    x_ptr,
    S,
    C,
    sum_partials,
    grid_x,
    grid_y,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `s` to a partial result of `sum`.

    Launch 1 of 2 in the place of `mean_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    b = (pid // c_tiles) % grid_y
    share = pid // (c_tiles * grid_y)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    # split-reduction: the program's share of s.
    share_start = share * s_per_share
    share_end = tl.minimum(share_start + s_per_share, S)

    sum = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(
        share_start, share_end, TILE_S, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1
    ):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        mask = c_mask & (s < share_end)
        sum += tl.load(x_ptr + ((b * S + s) * C + c), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = (share * grid_y + b) * grid_x + c
    tl.store(sum_partials + slot, sum, mask=c_mask)


@triton.jit
def mean_over_middle__final(
    y_ptr,
    S,
    C,
    sum_partials,
    grid_x,
    grid_y,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `mean_over_middle`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    b = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sum = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = (part * grid_y + b) * grid_x + c
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), sum / tl.cast(S, D), mask=c_mask)


def _plan_mean_over_middle(grid, x_ptr, y_ptr, S, C, *, D):
    """What is launched in the place of `mean_over_middle`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if S < 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, grid_x * grid_y) >= S:
        TILE_C = min(32, _power_of_two(grid_x), max(8, _power_of_two(grid_x * grid_y // 128)))
        TILE_S = min({1: 256, 2: 256, 4: 128, 8: 128}[D.itemsize], _power_of_two(triton.cdiv(S, 4)))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                mean_over_middle__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
                x_ptr,
                y_ptr,
                S,
                C,
                grid_x,
                TILE_S=TILE_S,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
                tuned=mean_over_middle__whole_tuned,
                index64=mean_over_middle__whole__index64,
            )
        ]

    TILE_C = min(64, _power_of_two(grid_x))
    TILE_S = min(
        4096 // TILE_C,
        _power_of_two(S),
        max(16, _power_of_two(S * triton.cdiv(grid_x, TILE_C) * grid_y // 1056)),
    )
    # 264 programs share s, each at least four tiles of it.
    s_shares = max(
        1, min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(grid_x, TILE_C) * grid_y))
    )
    s_per_share = triton.cdiv(S, s_shares)
    parts = triton.cdiv(S, s_per_share)
    sum_partials = _Scratch(_arithmetic(D), parts * (grid_x * grid_y))

    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    partial_stage = _Stage(
        mean_over_middle__partial,
        (triton.cdiv(grid_x, TILE_C) * grid_y * parts,),
        x_ptr,
        S,
        C,
        sum_partials,
        grid_x,
        grid_y,
        s_per_share,
        TILE_S=TILE_S,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
        tuned=mean_over_middle__partial_tuned,
        index64=mean_over_middle__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    final_stage = _Stage(
        mean_over_middle__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
        y_ptr,
        S,
        C,
        sum_partials,
        grid_x,
        grid_y,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=mean_over_middle__final_tuned,
        index64=mean_over_middle__final__index64,
    )
    return [partial_stage, final_stage]



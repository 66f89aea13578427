# vectorise-loop: TILE_B indices of `b` in `sum_over_outer__whole`
# block-axis: TILE_I indices of `i` in `sum_over_outer__whole`
# vectorise-loop: TILE_B indices of `b` in `sum_over_outer__partial`
# split-reduction: the loop over `b` is shared out among programs
# block-axis: TILE_I indices of `i` in `sum_over_outer__partial`
# block-axis: TILE_I indices of `i` in `sum_over_outer__final`
# split-kernel: 2 launches: sum_over_outer__partial, sum_over_outer__final


@triton.jit
def sum_over_outer__whole(
    dy_ptr,
    dx_ptr,
    B,
    SC,
    grid_x,
    TILE_B: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_SC: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces `TILE_I` indices of `i` by itself.

    Launched in the place of `sum_over_outer`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    SC = (SC // ALIGN_SC) * ALIGN_SC
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    i_tile = tl.program_id(0)
    # block-axis: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)[None, :]
    i_mask = i < grid_x

    sum = tl.zeros([TILE_B, TILE_I], D)
    for b_start in tl.range(0, B, TILE_B, num_stages=4 if ALIGN_SC > 1 and ALIGN_GRID_X > 1 else 1):
        # vectorise-loop: TILE_B indices of b at a time.
        b = b_start + tl.arange(0, TILE_B)[:, None]
        mask = i_mask & (b < B)
        sum += tl.load(dy_ptr + (b * SC + i), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(dx_ptr + i, sum, mask=i_mask)


@triton.jit
def sum_over_outer__partial(
    dy_ptr,
    B,
    SC,
    sum_partials,
    grid_x,
    b_per_share,
    TILE_B: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_SC: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `b` to a partial result of `sum`.

    Launch 1 of 2 in the place of `sum_over_outer`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    SC = (SC // ALIGN_SC) * ALIGN_SC
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    i_tiles = tl.cdiv(grid_x, TILE_I)
    i_tile = pid % i_tiles
    share = pid // i_tiles
    # block-axis: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)[None, :]
    i_mask = i < grid_x
    # split-reduction: the program's share of b.
    share_start = share * b_per_share
    share_end = tl.minimum(share_start + b_per_share, B)

    sum = tl.zeros([TILE_B, TILE_I], D)
    for b_start in tl.range(
        share_start, share_end, TILE_B, num_stages=4 if ALIGN_SC > 1 and ALIGN_GRID_X > 1 else 1
    ):
        # vectorise-loop: TILE_B indices of b at a time.
        b = b_start + tl.arange(0, TILE_B)[:, None]
        mask = i_mask & (b < share_end)
        sum += tl.load(dy_ptr + (b * SC + i), mask=mask, other=0.0).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = share * grid_x + i
    tl.store(sum_partials + slot, sum, mask=i_mask)


@triton.jit
def sum_over_outer__final(
    dx_ptr,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `sum_over_outer`.
    """
    D: tl.constexpr = (
        dx_ptr.dtype.element_ty if dx_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    i_tile = tl.program_id(0)
    # block-axis: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)[None, :]
    i_mask = i < grid_x

    sum = tl.zeros([TILE_PART, TILE_I], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = i_mask & (part < parts)
        slot = part * grid_x + i
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(dx_ptr + i, sum, mask=i_mask)


def _plan_sum_over_outer(grid, dy_ptr, dx_ptr, B, SC, *, D):
    """What is launched in the place of `sum_over_outer`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if B < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each i: programs reduce all of theirs in one launch.
    if max(1024, grid_x) >= B:
        TILE_I = min(32, _power_of_two(grid_x), max(8, _power_of_two(grid_x // 128)))
        TILE_B = min({1: 256, 2: 256, 4: 128, 8: 128}[D.itemsize], _power_of_two(triton.cdiv(B, 4)))
        ALIGN_SC = _alignment(SC, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                sum_over_outer__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_I"]),),
                dy_ptr,
                dx_ptr,
                B,
                SC,
                grid_x,
                TILE_B=TILE_B,
                TILE_I=TILE_I,
                ALIGN_SC=ALIGN_SC,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=max(4, 8 // min(ALIGN_SC, ALIGN_GRID_X)),
                tuned=sum_over_outer__whole_tuned,
                index64=sum_over_outer__whole__index64,
            )
        ]

    TILE_I = min(64, _power_of_two(grid_x))
    TILE_B = min(
        4096 // TILE_I,
        _power_of_two(B),
        max(16, _power_of_two(B * triton.cdiv(grid_x, TILE_I) // 1056)),
    )
    # 264 programs share b, each at least four tiles of it.
    b_shares = max(1, min(triton.cdiv(B, 4 * TILE_B), 264 // triton.cdiv(grid_x, TILE_I)))
    b_per_share = triton.cdiv(B, b_shares)
    parts = triton.cdiv(B, b_per_share)
    sum_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_SC = _alignment(SC, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    partial_stage = _Stage(
        sum_over_outer__partial,
        (triton.cdiv(grid_x, TILE_I) * parts,),
        dy_ptr,
        B,
        SC,
        sum_partials,
        grid_x,
        b_per_share,
        TILE_B=TILE_B,
        TILE_I=TILE_I,
        ALIGN_SC=ALIGN_SC,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=max(4, 8 // min(ALIGN_SC, ALIGN_GRID_X)),
        tuned=sum_over_outer__partial_tuned,
        index64=sum_over_outer__partial__index64,
    )

    TILE_I = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_I, _power_of_two(parts))
    final_stage = _Stage(
        sum_over_outer__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_I"]),),
        dx_ptr,
        sum_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_I=TILE_I,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=sum_over_outer__final_tuned,
        index64=sum_over_outer__final__index64,
    )
    return [partial_stage, final_stage]



# block-axis: TILE_C indices of `c` in `max_over_middle__whole`
# split-reduction: the loop over `s` is shared out among programs
# block-axis: TILE_C indices of `c` in `max_over_middle__partial`
# block-axis: TILE_B indices of `b` in `max_over_middle__final`
# split-kernel: 2 launches: max_over_middle__partial, max_over_middle__final


@triton.jit
def max_over_middle__whole(
    x_ptr,
    y_ptr,
    S,
    C,
    grid_y,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_Y: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `max_over_middle`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_y = (grid_y // ALIGN_GRID_Y) * ALIGN_GRID_Y

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_y, TILE_C)
    c_tile = pid % c_tiles
    b = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_y

    largest = tl.full([TILE_S, TILE_C], -3.4028235e38, tl.float32)
    for s_start in tl.range(0, S, TILE_S, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_Y > 1 else 1):
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < S
        mask = c_mask & s_mask
        largest = tl.maximum(
            largest,
            tl.where(
                s_mask,
                tl.load(x_ptr + ((s + b * S) * C + c), mask=mask, other=-3.4028235e38),
                -float("inf"),
            ),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)
    tl.store(y_ptr + (b * C + c), largest, mask=c_mask)


@triton.jit
def max_over_middle__partial(
    x_ptr,
    S,
    C,
    largest_partials,
    grid_x,
    grid_y,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_Y: tl.constexpr,
):
    """Each program reduces its part of `s` to a partial result of `largest`.

    Launch 1 of 2 in the place of `max_over_middle`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_y = (grid_y // ALIGN_GRID_Y) * ALIGN_GRID_Y

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_y, TILE_C)
    c_tile = pid % c_tiles
    b = (pid // c_tiles) % grid_x
    share = pid // (c_tiles * grid_x)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_y
    # split-reduction: the program's share of s.
    share_start = share * s_per_share
    share_end = tl.minimum(share_start + s_per_share, S)

    largest = tl.full([TILE_S, TILE_C], -3.4028235e38, tl.float32)
    for s_start in tl.range(
        share_start, share_end, TILE_S, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_Y > 1 else 1
    ):
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < share_end
        mask = c_mask & s_mask
        largest = tl.maximum(
            largest,
            tl.where(
                s_mask,
                tl.load(x_ptr + ((s + b * S) * C + c), mask=mask, other=-3.4028235e38),
                -float("inf"),
            ),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)

    slot = (share * grid_y + c) * grid_x + b
    tl.store(largest_partials + slot, largest, mask=c_mask)


@triton.jit
def max_over_middle__final(
    y_ptr,
    C,
    largest_partials,
    grid_x,
    grid_y,
    parts,
    TILE_PART: tl.constexpr,
    TILE_B: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `largest`, and stores what is made of them.

    Launch 2 of 2 in the place of `max_over_middle`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    b_tiles = tl.cdiv(grid_x, TILE_B)
    b_tile = pid % b_tiles
    c = pid // b_tiles
    # block-axis: a program does TILE_B indices of b.
    b = b_tile * TILE_B + tl.arange(0, TILE_B)[None, :]
    b_mask = b < grid_x

    largest = tl.full([TILE_PART, TILE_B], -float("inf"), tl.float32)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = b_mask & (part < parts)
        slot = (part * grid_y + c) * grid_x + b
        largest = tl.maximum(
            largest,
            tl.load(largest_partials + slot, mask=mask, other=-float("inf")),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)
    tl.store(y_ptr + (b * C + c), largest, mask=b_mask)


def _plan_max_over_middle(grid, x_ptr, y_ptr, S, C, BLOCK):
    """What is launched in the place of `max_over_middle`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if S < 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, grid_x * grid_y) >= S:
        TILE_C = min(32, _power_of_two(grid_y), max(8, _power_of_two(grid_x * grid_y // 128)))
        TILE_S = min(128, _power_of_two(triton.cdiv(S, 4)))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_Y = _alignment(grid_y, 16)
        return [
            _Stage(
                max_over_middle__whole,
                lambda meta: (triton.cdiv(grid_y, meta["TILE_C"]) * grid_x,),
                x_ptr,
                y_ptr,
                S,
                C,
                grid_y,
                TILE_S=TILE_S,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_Y=ALIGN_GRID_Y,
                num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_Y)),
                tuned=max_over_middle__whole_tuned,
                index64=max_over_middle__whole__index64,
            )
        ]

    TILE_C = min(64, _power_of_two(grid_y))
    TILE_S = min(
        4096 // TILE_C,
        _power_of_two(S),
        max(16, _power_of_two(S * triton.cdiv(grid_y, TILE_C) * grid_x // 1056)),
    )
    # 264 programs share s, each at least four tiles of it.
    s_shares = max(
        1, min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(grid_y, TILE_C) * grid_x))
    )
    s_per_share = triton.cdiv(S, s_shares)
    parts = triton.cdiv(S, s_per_share)
    largest_partials = _Scratch(torch.float32, parts * (grid_x * grid_y))

    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_Y = _alignment(grid_y, 16)
    partial_stage = _Stage(
        max_over_middle__partial,
        (triton.cdiv(grid_y, TILE_C) * grid_x * parts,),
        x_ptr,
        S,
        C,
        largest_partials,
        grid_x,
        grid_y,
        s_per_share,
        TILE_S=TILE_S,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_Y=ALIGN_GRID_Y,
        num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_Y)),
        tuned=max_over_middle__partial_tuned,
        index64=max_over_middle__partial__index64,
    )

    TILE_B = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_B, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        max_over_middle__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_B"]) * grid_y,),
        y_ptr,
        C,
        largest_partials,
        grid_x,
        grid_y,
        parts,
        TILE_PART=TILE_PART,
        TILE_B=TILE_B,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=max_over_middle__final_tuned,
        index64=max_over_middle__final__index64,
    )
    return [partial_stage, final_stage]



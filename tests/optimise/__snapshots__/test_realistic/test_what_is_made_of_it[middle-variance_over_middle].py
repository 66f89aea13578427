# vectorise-loop: TILE_S indices of `s` in `variance_over_middle__flat_partial`
# split-reduction: the loop over `s` is shared out among programs
# block-axis: TILE_C indices of `c` in `variance_over_middle__flat_partial`
# block-axis: TILE_B_C indices of `b_c` in `variance_over_middle__flat_final`
# vectorise-loop: TILE_S indices of `s` in `variance_over_middle__flat_partial_2`
# block-axis: TILE_C indices of `c` in `variance_over_middle__flat_partial_2`
# block-axis: TILE_C indices of `c` in `variance_over_middle__flat_final_2`
# split-kernel: 4 launches: variance_over_middle__flat_partial, variance_over_middle__flat_final, variance_over_middle__flat_partial_2, variance_over_middle__flat_final_2
# collapse-axes: `b` and `c` share lanes where `c` has fewer than 1024 indices
# vectorise-loop: TILE_S indices of `s` in `variance_over_middle__whole`
# block-axis: TILE_C indices of `c` in `variance_over_middle__whole`
# vectorise-loop: TILE_S indices of `s` in `variance_over_middle__partial`
# block-axis: TILE_C indices of `c` in `variance_over_middle__partial`
# block-axis: TILE_C indices of `c` in `variance_over_middle__final`
# vectorise-loop: TILE_S indices of `s` in `variance_over_middle__partial_2`
# block-axis: TILE_C indices of `c` in `variance_over_middle__partial_2`
# block-axis: TILE_C indices of `c` in `variance_over_middle__final_2`
# split-kernel: 4 launches: variance_over_middle__partial, variance_over_middle__final, variance_over_middle__partial_2, variance_over_middle__final_2


@triton.jit
def variance_over_middle__flat_partial(
    x_ptr,
    S,
    C,
    sum_partials,
    grid_x,
    grid_y,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """What each part of the loop over `s` adds to `sum`.

    Launch 1 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    pid_over_cdiv_grid_x = pid // cdiv_grid_x
    b = pid_over_cdiv_grid_x % grid_y
    share = pid_over_cdiv_grid_x // grid_y
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    base = b * S * C + c
    sum = tl.zeros([TILE_S, TILE_C], D)
    # split-reduction: the program's share of s.
    s_end = tl.minimum(share * s_per_share + s_per_share, S)
    for s_start in tl.range(share * s_per_share, s_end, TILE_S, num_stages=4):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < s_end
        sum = sum + tl.where(
            s_mask, tl.load(x_ptr + (base + s * C), mask=c_mask & s_mask).to(D), 0.0
        )
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(sum_partials + (share * (grid_x * grid_y) + (b * grid_x + c)), sum, mask=c_mask)


@triton.jit
def variance_over_middle__flat_final(
    sum_partials,
    sum_total,
    grid_x,
    grid_y,
    parts,
    TILE_P: tl.constexpr,
    TILE_B_C: tl.constexpr,
):
    """The parts combined.

    Launch 2 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        sum_partials.dtype.element_ty
        if sum_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    b_c_tile = tl.program_id(0)
    # block-axis: a program does TILE_B_C indices of b_c.
    b_c = b_c_tile * TILE_B_C + tl.arange(0, TILE_B_C)[None, :]
    b_c_mask = b_c < grid_y * grid_x
    sum = tl.zeros([TILE_P, TILE_B_C], D)
    for p_start in range(0, parts, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[:, None]
        p_mask = p < parts
        sum = sum + tl.where(
            p_mask,
            tl.load(sum_partials + (grid_x * p * grid_y + b_c), mask=b_c_mask & p_mask).to(D),
            0.0,
        )
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(sum_total + b_c, sum, mask=b_c_mask)


@triton.jit
def variance_over_middle__flat_partial_2(
    x_ptr,
    S,
    C,
    sum_total,
    squares_partials,
    grid_x,
    grid_y,
    s_per_share_2,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """What each part of the loop over `s` adds to `squares`.

    Launch 3 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    pid_over_cdiv_grid_x = pid // cdiv_grid_x
    b = pid_over_cdiv_grid_x % grid_y
    share = pid_over_cdiv_grid_x // grid_y
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    sum = tl.load(sum_total + (b * grid_x + c), mask=c_mask).to(D)
    base = b * S * C + c
    mean = sum / tl.cast(S, tl.int32).to(D)
    squares = tl.zeros([TILE_S, TILE_C], D)
    # split-reduction: the program's share of s.
    s_end = tl.minimum(share * s_per_share_2 + s_per_share_2, S)
    for s_start in tl.range(share * s_per_share_2, s_end, TILE_S, num_stages=4):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < s_end
        centred = tl.load(x_ptr + (base + s * C), mask=c_mask & s_mask).to(D) - mean
        squares = squares + tl.where(s_mask, centred * centred, 0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(
        squares_partials + (share * (grid_x * grid_y) + (b * grid_x + c)), squares, mask=c_mask
    )


@triton.jit
def variance_over_middle__flat_final_2(
    y_ptr,
    S,
    C,
    squares_partials,
    grid_x,
    grid_y,
    parts_2,
    TILE_P: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """The parts combined, and what is stored of the results.

    Launch 4 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    b = pid // cdiv_grid_x
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    squares = tl.zeros([TILE_P, TILE_C], D)
    for p_start in range(0, parts_2, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[:, None]
        p_mask = p < parts_2
        squares = squares + tl.where(
            p_mask,
            tl.load(
                squares_partials + (p * (grid_x * grid_y) + (b * grid_x + c)), mask=c_mask & p_mask
            ).to(D),
            0.0,
        )
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), squares / tl.cast(S, tl.int32).to(D), mask=c_mask)


@triton.jit
def variance_over_middle__whole(
    x_ptr,
    y_ptr,
    S,
    C,
    grid_x,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """All of it, for a tile of columns a program.

    The one launch in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    b = pid // cdiv_grid_x
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    base = b * S * C + c
    sum = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(0, S, TILE_S, num_stages=4):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < S
        sum = sum + tl.where(
            s_mask, tl.load(x_ptr + (base + s * C), mask=c_mask & s_mask).to(D), 0.0
        )
    sum = tl.sum(sum, axis=0, keep_dims=True)
    mean = sum / tl.cast(S, tl.int32).to(D)
    squares = tl.zeros([TILE_S, TILE_C], D)
    for s_start in tl.range(0, S, TILE_S, num_stages=4):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < S
        centred = tl.load(x_ptr + (base + s * C), mask=c_mask & s_mask).to(D) - mean
        squares = squares + tl.where(s_mask, centred * centred, 0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), squares / tl.cast(S, tl.int32).to(D), mask=c_mask)


@triton.jit
def variance_over_middle__partial(
    x_ptr,
    S,
    C,
    sum_partials,
    grid_x,
    grid_y,
    s_per_share,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """What each part of the loop over `s` adds to `sum`.

    Launch 1 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    pid_over_cdiv_grid_x = pid // cdiv_grid_x
    b = pid_over_cdiv_grid_x % grid_y
    share = pid_over_cdiv_grid_x // grid_y
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    base = b * S * C + c
    sum = tl.zeros([TILE_S, TILE_C], D)
    # split-reduction: the program's share of s.
    s_end = tl.minimum(share * s_per_share + s_per_share, S)
    for s_start in tl.range(share * s_per_share, s_end, TILE_S, num_stages=4):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < s_end
        sum = sum + tl.where(
            s_mask, tl.load(x_ptr + (base + s * C), mask=c_mask & s_mask).to(D), 0.0
        )
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(sum_partials + (share * (grid_x * grid_y) + (b * grid_x + c)), sum, mask=c_mask)


@triton.jit
def variance_over_middle__final(
    sum_partials,
    sum_total,
    grid_x,
    grid_y,
    parts,
    TILE_P: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """The parts combined.

    Launch 2 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        sum_partials.dtype.element_ty
        if sum_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    b = pid // cdiv_grid_x
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    sum = tl.zeros([TILE_P, TILE_C], D)
    for p_start in range(0, parts, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[:, None]
        p_mask = p < parts
        sum = sum + tl.where(
            p_mask,
            tl.load(
                sum_partials + (p * (grid_x * grid_y) + (b * grid_x + c)), mask=c_mask & p_mask
            ).to(D),
            0.0,
        )
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(sum_total + (b * grid_x + c), sum, mask=c_mask)


@triton.jit
def variance_over_middle__partial_2(
    x_ptr,
    S,
    C,
    sum_total,
    squares_partials,
    grid_x,
    grid_y,
    s_per_share_2,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """What each part of the loop over `s` adds to `squares`.

    Launch 3 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    pid_over_cdiv_grid_x = pid // cdiv_grid_x
    b = pid_over_cdiv_grid_x % grid_y
    share = pid_over_cdiv_grid_x // grid_y
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    sum = tl.load(sum_total + (b * grid_x + c), mask=c_mask).to(D)
    base = b * S * C + c
    mean = sum / tl.cast(S, tl.int32).to(D)
    squares = tl.zeros([TILE_S, TILE_C], D)
    # split-reduction: the program's share of s.
    s_end = tl.minimum(share * s_per_share_2 + s_per_share_2, S)
    for s_start in tl.range(share * s_per_share_2, s_end, TILE_S, num_stages=4):
        # vectorise-loop: TILE_S indices of s at a time.
        s = s_start + tl.arange(0, TILE_S)[:, None]
        s_mask = s < s_end
        centred = tl.load(x_ptr + (base + s * C), mask=c_mask & s_mask).to(D) - mean
        squares = squares + tl.where(s_mask, centred * centred, 0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(
        squares_partials + (share * (grid_x * grid_y) + (b * grid_x + c)), squares, mask=c_mask
    )


@triton.jit
def variance_over_middle__final_2(
    y_ptr,
    S,
    C,
    squares_partials,
    grid_x,
    grid_y,
    parts_2,
    TILE_P: tl.constexpr,
    TILE_C: tl.constexpr,
):
    """The parts combined, and what is stored of the results.

    Launch 4 of 4 in the place of `variance_over_middle`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    cdiv_grid_x = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % cdiv_grid_x
    b = pid // cdiv_grid_x
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    squares = tl.zeros([TILE_P, TILE_C], D)
    for p_start in range(0, parts_2, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[:, None]
        p_mask = p < parts_2
        squares = squares + tl.where(
            p_mask,
            tl.load(
                squares_partials + (p * (grid_x * grid_y) + (b * grid_x + c)), mask=c_mask & p_mask
            ).to(D),
            0.0,
        )
    squares = tl.sum(squares, axis=0, keep_dims=True)
    tl.store(y_ptr + (b * C + c), squares / tl.cast(S, tl.int32).to(D), mask=c_mask)


def _plan_variance_over_middle(grid, x_ptr, y_ptr, S, C, *, D):
    """The launches in the place of `variance_over_middle`; None for the kernel itself."""
    grid_x, grid_y, grid_z = grid
    if S < 1 or grid_z > 1:
        return None
    if grid_x <= 1023:
        TILE_C = min(64, _power_of_two(grid_x))
        TILE_S = min(min(4096, 32768 // D.itemsize) // TILE_C, _power_of_two(S))
        s_per_share = max(
            1,
            triton.cdiv(
                S,
                max(
                    1,
                    min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(grid_x, TILE_C) * grid_y)),
                ),
            ),
        )
        s_shares = triton.cdiv(S, s_per_share)
        parts = s_shares
        s_per_share_2 = s_per_share
        s_shares_2 = triton.cdiv(S, s_per_share_2)
        parts_2 = s_shares_2
        sum_partials = _Scratch(D, parts * (grid_x * grid_y))
        sum_total = _Scratch(D, grid_x * grid_y)
        squares_partials = _Scratch(D, parts_2 * (grid_x * grid_y))
        return [
            _Stage(
                variance_over_middle__flat_partial,
                (triton.cdiv(grid_x, TILE_C) * grid_y * s_shares,),
                x_ptr,
                S,
                C,
                sum_partials,
                grid_x,
                grid_y,
                s_per_share,
                TILE_S=TILE_S,
                TILE_C=TILE_C,
                num_warps=4,
                tuned=variance_over_middle__flat_partial_tuned,
            ),
            _Stage(
                variance_over_middle__flat_final,
                lambda meta: (triton.cdiv(grid_x * grid_y, meta["TILE_B_C"]),),
                sum_partials,
                sum_total,
                grid_x,
                grid_y,
                parts,
                TILE_P=min(1024 // min(4, _power_of_two(grid_x * grid_y)), _power_of_two(parts)),
                TILE_B_C=min(4, _power_of_two(grid_x * grid_y)),
                num_warps=4,
                tuned=variance_over_middle__flat_final_tuned,
            ),
            _Stage(
                variance_over_middle__flat_partial_2,
                (triton.cdiv(grid_x, TILE_C) * grid_y * s_shares_2,),
                x_ptr,
                S,
                C,
                sum_total,
                squares_partials,
                grid_x,
                grid_y,
                s_per_share_2,
                TILE_S=TILE_S,
                TILE_C=TILE_C,
                num_warps=4,
                tuned=variance_over_middle__flat_partial_2_tuned,
            ),
            _Stage(
                variance_over_middle__flat_final_2,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
                y_ptr,
                S,
                C,
                squares_partials,
                grid_x,
                grid_y,
                parts_2,
                TILE_P=min(1024 // min(4, _power_of_two(grid_x)), _power_of_two(parts_2)),
                TILE_C=min(4, _power_of_two(grid_x)),
                num_warps=4,
                tuned=variance_over_middle__flat_final_2_tuned,
            ),
        ]
    if grid_x >= 4096:
        return [
            _Stage(
                variance_over_middle__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
                x_ptr,
                y_ptr,
                S,
                C,
                grid_x,
                TILE_S=min(
                    min(4096, 32768 // D.itemsize) // min(32, _power_of_two(grid_x)),
                    _power_of_two(S),
                ),
                TILE_C=min(32, _power_of_two(grid_x)),
                num_warps=4,
                tuned=variance_over_middle__whole_tuned,
            )
        ]
    TILE_C = min(64, _power_of_two(grid_x))
    TILE_S = min(min(4096, 32768 // D.itemsize) // TILE_C, _power_of_two(S))
    s_per_share = max(
        1,
        triton.cdiv(
            S,
            max(1, min(triton.cdiv(S, 4 * TILE_S), 264 // (triton.cdiv(grid_x, TILE_C) * grid_y))),
        ),
    )
    s_shares = triton.cdiv(S, s_per_share)
    parts = s_shares
    s_per_share_2 = s_per_share
    s_shares_2 = triton.cdiv(S, s_per_share_2)
    parts_2 = s_shares_2
    sum_partials = _Scratch(D, parts * (grid_x * grid_y))
    sum_total = _Scratch(D, grid_x * grid_y)
    squares_partials = _Scratch(D, parts_2 * (grid_x * grid_y))
    return [
        _Stage(
            variance_over_middle__partial,
            (triton.cdiv(grid_x, TILE_C) * grid_y * s_shares,),
            x_ptr,
            S,
            C,
            sum_partials,
            grid_x,
            grid_y,
            s_per_share,
            TILE_S=TILE_S,
            TILE_C=TILE_C,
            num_warps=4,
            tuned=variance_over_middle__partial_tuned,
        ),
        _Stage(
            variance_over_middle__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
            sum_partials,
            sum_total,
            grid_x,
            grid_y,
            parts,
            TILE_P=min(1024 // min(4, _power_of_two(grid_x)), _power_of_two(parts)),
            TILE_C=min(4, _power_of_two(grid_x)),
            num_warps=4,
            tuned=variance_over_middle__final_tuned,
        ),
        _Stage(
            variance_over_middle__partial_2,
            (triton.cdiv(grid_x, TILE_C) * grid_y * s_shares_2,),
            x_ptr,
            S,
            C,
            sum_total,
            squares_partials,
            grid_x,
            grid_y,
            s_per_share_2,
            TILE_S=TILE_S,
            TILE_C=TILE_C,
            num_warps=4,
            tuned=variance_over_middle__partial_2_tuned,
        ),
        _Stage(
            variance_over_middle__final_2,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
            y_ptr,
            S,
            C,
            squares_partials,
            grid_x,
            grid_y,
            parts_2,
            TILE_P=min(1024 // min(4, _power_of_two(grid_x)), _power_of_two(parts_2)),
            TILE_C=min(4, _power_of_two(grid_x)),
            num_warps=4,
            tuned=variance_over_middle__final_2_tuned,
        ),
    ]



# block-axis: TILE_S indices of `s` in `guarded_rows__whole`
# split-reduction: the loop over `cols` is shared out among programs
# block-axis: TILE_FLAT indices of `flat` in `guarded_rows__flat_final`
# block-axis: TILE_FLAT indices of `flat` in `guarded_rows__flat_apply`
# split-kernel: 3 launches: guarded_rows__flat_partial, guarded_rows__flat_final, guarded_rows__flat_apply
# collapse-axes: `s` and `cols` share lanes where `cols` has fewer than 1024 indices, or starts where accesses are narrow
# block-axis: TILE_S indices of `s` in `guarded_rows__final`
# spread-loop: a program for each tile of TILE_COLS indices of `cols` in `guarded_rows__apply`
# split-kernel: 3 launches: guarded_rows__partial, guarded_rows__final, guarded_rows__apply


@triton.jit
def guarded_rows__whole(
    x_ptr,
    y_ptr,
    S,
    C,
    s_end,
    b_end,
    TILE_S: tl.constexpr,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces `TILE_S` indices of `s` by itself.

    Launched in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    b = pid % b_end
    s_tile = pid // b_end
    # block-axis: a program does TILE_S indices of s.
    s = s_tile * TILE_S + tl.arange(0, TILE_S)[:, None]
    s_mask = s < s_end

    base = (b * S + s) * C
    sums = tl.zeros([TILE_S, TILE_COLS], D)
    for cols_start in range(0, C, TILE_COLS):
        cols = cols_start + tl.arange(0, TILE_COLS)[None, :]
        mask = s_mask & (cols < C)
        sums += tl.load(x_ptr + (cols + base), mask=mask, other=0.0).to(D)
    sums = tl.sum(sums, axis=1, keep_dims=True)
    mean = sums / tl.cast(C, D)
    for cols_start in range(0, C, TILE_COLS):
        cols = cols_start + tl.arange(0, TILE_COLS)[None, :]
        mask = s_mask & (cols < C)
        tl.store(
            y_ptr + (cols + base), tl.load(x_ptr + (cols + base), mask=mask).to(D) - mean, mask=mask
        )


@triton.jit
def guarded_rows__flat_partial(
    x_ptr,
    S,
    C,
    sums_partials,
    s_end,
    b_end,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `cols` to a partial result of `sums`.

    Launch 1 of 3 in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(C, TILE_COLS)
    cols_tile = pid % cols_tiles
    s = (pid // cols_tiles) % s_end
    b = pid // (cols_tiles * s_end)
    # split-reduction: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < C

    base = (b * S + s) * C
    sums = tl.sum(tl.load(x_ptr + (cols + base), mask=cols_mask, other=0.0).to(D))

    slot = (cols_tile * b_end + b) * s_end + s
    tl.store(sums_partials + slot, sums)


@triton.jit
def guarded_rows__flat_final(
    sums_partials,
    sums_total,
    s_end,
    b_end,
    parts,
    TILE_PART: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_S_END: tl.constexpr,
    ALIGN_B_END: tl.constexpr,
):
    """Combines the partial results of `sums`.

    Launch 2 of 3 in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        sums_partials.dtype.element_ty
        if sums_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    s_end = (s_end // ALIGN_S_END) * ALIGN_S_END
    b_end = (b_end // ALIGN_B_END) * ALIGN_B_END

    flat_tile = tl.program_id(0)
    # collapse-axes: flat counts all s of each b.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < b_end * s_end

    sums = tl.zeros([TILE_PART, TILE_FLAT], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = flat_mask & (part < parts)
        slot = part * s_end * b_end + flat
        sums += tl.load(sums_partials + slot, mask=mask, other=0.0)
    sums = tl.sum(sums, axis=0, keep_dims=True)
    tl.store(sums_total + flat, sums, mask=flat_mask)


@triton.jit
def guarded_rows__flat_apply(
    x_ptr,
    y_ptr,
    S,
    C,
    sums_total,
    s_end,
    TILE_FLAT: tl.constexpr,
    ALIGN_S: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_S_END: tl.constexpr,
):
    """Each program computes `TILE_FLAT` indices of `flat`.

    Launch 3 of 3 in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    S = (S // ALIGN_S) * ALIGN_S
    C = (C // ALIGN_C) * ALIGN_C
    s_end = (s_end // ALIGN_S_END) * ALIGN_S_END

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(s_end * C, TILE_FLAT)
    flat_tile = pid % flat_tiles
    b = pid // flat_tiles
    # collapse-axes: flat counts all cols of each s.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)
    flat_mask = flat < s_end * C

    s = flat // C
    sums = tl.load(sums_total + (b * s_end + s), mask=flat_mask)
    mean = sums / tl.cast(C, D)
    tl.store(
        y_ptr + (b * S * C + flat),
        tl.load(x_ptr + (b * S * C + flat), mask=flat_mask).to(D) - mean,
        mask=flat_mask,
    )


@triton.jit
def guarded_rows__partial(
    x_ptr,
    S,
    C,
    sums_partials,
    s_end,
    b_end,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program reduces its part of `cols` to a partial result of `sums`.

    Launch 1 of 3 in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(C, TILE_COLS)
    cols_tile = pid % cols_tiles
    s = (pid // cols_tiles) % s_end
    b = pid // (cols_tiles * s_end)
    # split-reduction: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < C

    base = (b * S + s) * C
    sums = tl.sum(tl.load(x_ptr + (cols + base), mask=cols_mask, other=0.0).to(D))

    slot = (cols_tile * b_end + b) * s_end + s
    tl.store(sums_partials + slot, sums)


@triton.jit
def guarded_rows__final(
    sums_partials,
    sums_total,
    s_end,
    b_end,
    parts,
    TILE_PART: tl.constexpr,
    TILE_S: tl.constexpr,
    ALIGN_S_END: tl.constexpr,
):
    """Combines the partial results of `sums`.

    Launch 2 of 3 in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        sums_partials.dtype.element_ty
        if sums_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    s_end = (s_end // ALIGN_S_END) * ALIGN_S_END

    pid = tl.program_id(0)
    s_tiles = tl.cdiv(s_end, TILE_S)
    s_tile = pid % s_tiles
    b = pid // s_tiles
    # block-axis: a program does TILE_S indices of s.
    s = s_tile * TILE_S + tl.arange(0, TILE_S)[None, :]
    s_mask = s < s_end

    sums = tl.zeros([TILE_PART, TILE_S], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = s_mask & (part < parts)
        slot = (part * b_end + b) * s_end + s
        sums += tl.load(sums_partials + slot, mask=mask, other=0.0)
    sums = tl.sum(sums, axis=0, keep_dims=True)
    tl.store(sums_total + (b * s_end + s), sums, mask=s_mask)


@triton.jit
def guarded_rows__apply(
    x_ptr,
    y_ptr,
    S,
    C,
    sums_total,
    s_end,
    TILE_COLS: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program computes `TILE_COLS` indices of `cols`.

    Launch 3 of 3 in the place of `guarded_rows`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    cols_tiles = tl.cdiv(C, TILE_COLS)
    cols_tile = pid % cols_tiles
    s = (pid // cols_tiles) % s_end
    b = pid // (cols_tiles * s_end)
    # spread-loop: a program does TILE_COLS indices of cols.
    cols = cols_tile * TILE_COLS + tl.arange(0, TILE_COLS)
    cols_mask = cols < C

    sums = tl.load(sums_total + (b * s_end + s))
    base = (b * S + s) * C
    mean = sums / tl.cast(C, D)
    tl.store(
        y_ptr + (cols + base),
        tl.load(x_ptr + (cols + base), mask=cols_mask).to(D) - mean,
        mask=cols_mask,
    )


def _plan_guarded_rows(grid, x_ptr, y_ptr, B, S, C, BLOCK, *, D):
    """What is launched in the place of `guarded_rows`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or S < 1 or B < 1 or grid_z > 1:
        return None

    # There is little to do for each s: programs reduce all of theirs in one launch.
    if C < 1024:
        s_end = min(grid_x, S)
        b_end = min(grid_y, B)
        TILE_COLS = min(1024, _power_of_two(C))
        TILE_S = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_COLS,
            _power_of_two(s_end),
            _power_of_two(s_end * b_end // 264),
        )
        ALIGN_C = _alignment(C, 16)
        return [
            _Stage(
                guarded_rows__whole,
                lambda meta: (b_end * triton.cdiv(s_end, meta["TILE_S"]),),
                x_ptr,
                y_ptr,
                S,
                C,
                s_end,
                b_end,
                TILE_S=TILE_S,
                TILE_COLS=TILE_COLS,
                ALIGN_C=ALIGN_C,
                num_warps=4,
                tuned=guarded_rows__whole_tuned,
                index64=guarded_rows__whole__index64,
            )
        ]

    # Short cols, and those that start where accesses are narrow, share the lanes of tiles with s.
    if (
        (
            C < 1024
            or _alignment(min(grid_x, S) * C, 16 // D.itemsize)
            >= 2 * _alignment(C, 16 // D.itemsize)
        )
        and min(grid_x, S) * min(grid_y, B) < 256
        and C >= 16 * BLOCK
    ):
        s_end = min(grid_x, S)
        b_end = min(grid_y, B)
        TILE_COLS = min(1024, _power_of_two(C))
        parts = triton.cdiv(C, TILE_COLS)
        sums_partials = _Scratch(_arithmetic(D), parts * (s_end * b_end))
        sums_total = _Scratch(_arithmetic(D), s_end * b_end)

        ALIGN_C = _alignment(C, 16)
        flat_partial_stage = _Stage(
            guarded_rows__flat_partial,
            (parts * s_end * b_end,),
            x_ptr,
            S,
            C,
            sums_partials,
            s_end,
            b_end,
            TILE_COLS=TILE_COLS,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=guarded_rows__flat_partial_tuned,
            index64=guarded_rows__flat_partial__index64,
        )

        TILE_FLAT = min(4, _power_of_two(s_end * b_end))
        TILE_PART = min(1024 // TILE_FLAT, _power_of_two(parts))
        ALIGN_S_END = _alignment(s_end, 16)
        ALIGN_B_END = _alignment(b_end, 16)
        flat_final_stage = _Stage(
            guarded_rows__flat_final,
            lambda meta: (triton.cdiv(s_end * b_end, meta["TILE_FLAT"]),),
            sums_partials,
            sums_total,
            s_end,
            b_end,
            parts,
            TILE_PART=TILE_PART,
            TILE_FLAT=TILE_FLAT,
            ALIGN_S_END=ALIGN_S_END,
            ALIGN_B_END=ALIGN_B_END,
            num_warps=4,
            tuned=guarded_rows__flat_final_tuned,
            index64=guarded_rows__flat_final__index64,
        )

        TILE_FLAT = min(512, _power_of_two(C * s_end))
        ALIGN_S = _alignment(S, 16)
        flat_apply_stage = _Stage(
            guarded_rows__flat_apply,
            lambda meta: (triton.cdiv(C * s_end, meta["TILE_FLAT"]) * b_end,),
            x_ptr,
            y_ptr,
            S,
            C,
            sums_total,
            s_end,
            TILE_FLAT=TILE_FLAT,
            ALIGN_S=ALIGN_S,
            ALIGN_C=ALIGN_C,
            ALIGN_S_END=ALIGN_S_END,
            num_warps=4,
            tuned=guarded_rows__flat_apply_tuned,
            index64=guarded_rows__flat_apply__index64,
        )
        return [flat_partial_stage, flat_final_stage, flat_apply_stage]

    # Programs are few: more of them share the loops.
    if min(grid_x, S) * min(grid_y, B) < 256 and C >= 16 * BLOCK:
        s_end = min(grid_x, S)
        b_end = min(grid_y, B)
        TILE_COLS = min(1024, _power_of_two(C))
        parts = triton.cdiv(C, TILE_COLS)
        sums_partials = _Scratch(_arithmetic(D), parts * (s_end * b_end))
        sums_total = _Scratch(_arithmetic(D), s_end * b_end)

        ALIGN_C = _alignment(C, 16)
        partial_stage = _Stage(
            guarded_rows__partial,
            (parts * s_end * b_end,),
            x_ptr,
            S,
            C,
            sums_partials,
            s_end,
            b_end,
            TILE_COLS=TILE_COLS,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=guarded_rows__partial_tuned,
            index64=guarded_rows__partial__index64,
        )

        TILE_S = min(4, _power_of_two(s_end))
        TILE_PART = min(1024 // TILE_S, _power_of_two(parts))
        ALIGN_S_END = _alignment(s_end, 16)
        final_stage = _Stage(
            guarded_rows__final,
            lambda meta: (triton.cdiv(s_end, meta["TILE_S"]) * b_end,),
            sums_partials,
            sums_total,
            s_end,
            b_end,
            parts,
            TILE_PART=TILE_PART,
            TILE_S=TILE_S,
            ALIGN_S_END=ALIGN_S_END,
            num_warps=4,
            tuned=guarded_rows__final_tuned,
            index64=guarded_rows__final__index64,
        )

        TILE_COLS = min(512, _power_of_two(C))
        apply_stage = _Stage(
            guarded_rows__apply,
            lambda meta: (triton.cdiv(C, meta["TILE_COLS"]) * s_end * b_end,),
            x_ptr,
            y_ptr,
            S,
            C,
            sums_total,
            s_end,
            TILE_COLS=TILE_COLS,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=guarded_rows__apply_tuned,
            index64=guarded_rows__apply__index64,
        )
        return [partial_stage, final_stage, apply_stage]
    return None



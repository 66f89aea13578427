# vectorise-loop: TILE_N indices of `n` in `scale_gradient__flat_partial`
# split-reduction: the loop over `n` is shared out among programs
# block-axis: TILE_FLAT indices of `flat` in `scale_gradient__flat_partial`
# split-kernel: 2 launches: scale_gradient__flat_partial, scale_gradient__flat_final
# collapse-axes: `c` and `p` share lanes where `p` has fewer than 1024 indices
# vectorise-loop: TILE_N indices of `n` in `scale_gradient__partial`
# vectorise-loop: TILE_P indices of `p` in `scale_gradient__partial`
# split-reduction: the loop over `p` is shared out among programs
# block-axis: TILE_C indices of `c` in `scale_gradient__final`
# split-kernel: 2 launches: scale_gradient__partial, scale_gradient__final


@triton.jit
def scale_gradient__flat_partial(
    dy_ptr,
    x_ptr,
    N,
    C,
    HW,
    sum_partials,
    grid_x,
    n_per_share,
    TILE_N: tl.constexpr,
    TILE_FLAT: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_HW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `n` to a partial result of `sum`.

    Launch 1 of 2 in the place of `scale_gradient`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    HW = (HW // ALIGN_HW) * ALIGN_HW
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    flat_tiles = tl.cdiv(grid_x * HW, TILE_FLAT)
    flat_tile = pid % flat_tiles
    share = pid // flat_tiles
    # collapse-axes: flat counts all p of each c.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)[None, :]
    flat_mask = flat < grid_x * HW
    # split-reduction: the program's share of n.
    share_start = share * n_per_share
    share_end = tl.minimum(share_start + n_per_share, N)

    sum = tl.zeros([TILE_N, TILE_FLAT], D)
    for n_start in tl.range(
        share_start,
        share_end,
        TILE_N,
        num_stages=4 if ALIGN_C * ALIGN_HW > 1 and ALIGN_HW * ALIGN_GRID_X > 1 else 1,
    ):
        # vectorise-loop: TILE_N indices of n at a time.
        n = n_start + tl.arange(0, TILE_N)[:, None]
        mask = flat_mask & (n < share_end)
        at = n * C * HW + flat
        sum += tl.load(dy_ptr + at, mask=mask, other=0.0).to(D) * tl.load(
            x_ptr + at, mask=mask, other=0.0
        ).to(D)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = share * grid_x * HW + flat
    tl.store(sum_partials + slot, sum, mask=flat_mask)


@triton.jit
def scale_gradient__flat_final(
    dscale_ptr,
    HW,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `scale_gradient`.
    """
    D: tl.constexpr = (
        dscale_ptr.dtype.element_ty
        if dscale_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    c = tl.program_id(0)

    sum = tl.zeros([TILE_PART, TILE_P], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        part_mask = part < parts
        for p_start in range(0, HW, TILE_P):
            p = p_start + tl.arange(0, TILE_P)[None, :]
            mask = part_mask & (p < HW)
            slot = (part * grid_x + c) * HW + p
            sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum)
    tl.store(dscale_ptr + c, sum)


@triton.jit
def scale_gradient__partial(
    dy_ptr,
    x_ptr,
    N,
    C,
    HW,
    sum_partials,
    grid_x,
    n_per_share,
    TILE_N: tl.constexpr,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `n` and `p` to a partial result of `sum`.

    Launch 1 of 2 in the place of `scale_gradient`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    p_tiles = tl.cdiv(HW, TILE_P)
    p_tile = pid % p_tiles
    c = (pid // p_tiles) % grid_x
    share = pid // (p_tiles * grid_x)
    # split-reduction: a program does TILE_P indices of p.
    p = p_tile * TILE_P + tl.arange(0, TILE_P)[None, :]
    p_mask = p < HW
    # split-reduction: the program's share of n.
    share_start = share * n_per_share
    share_end = tl.minimum(share_start + n_per_share, N)

    sum = tl.zeros([TILE_N, TILE_P], D)
    for n_start in range(share_start, share_end, TILE_N):
        # vectorise-loop: TILE_N indices of n at a time.
        n = n_start + tl.arange(0, TILE_N)[:, None]
        mask = p_mask & (n < share_end)
        at = (n * C + c) * HW + p
        sum += tl.load(dy_ptr + at, mask=mask, other=0.0).to(D) * tl.load(
            x_ptr + at, mask=mask, other=0.0
        ).to(D)
    sum = tl.sum(sum)

    slot = (share * p_tiles + p_tile) * grid_x + c
    tl.store(sum_partials + slot, sum)


@triton.jit
def scale_gradient__final(
    dscale_ptr,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `scale_gradient`.
    """
    D: tl.constexpr = (
        dscale_ptr.dtype.element_ty
        if dscale_ptr.dtype.element_ty.primitive_bitwidth > 16
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
    tl.store(dscale_ptr + c, sum, mask=c_mask)


def _plan_scale_gradient(grid, dy_ptr, x_ptr, dscale_ptr, N, C, HW, *, D):
    """What is launched in the place of `scale_gradient`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or HW < 1 or grid_y > 1 or grid_z > 1:
        return None

    # Short p share the lanes of tiles with c.
    if HW < 1024:
        TILE_FLAT = min(64, _power_of_two(grid_x * HW))
        TILE_N = min(
            min(4096, 16384 // D.itemsize) // TILE_FLAT,
            _power_of_two(N),
            max(16, _power_of_two(N * triton.cdiv(grid_x * HW, TILE_FLAT) // 1056)),
        )
        # 264 programs share n, each at least four tiles of it.
        n_shares = max(
            1, min(triton.cdiv(N, 4 * TILE_N), 264 // triton.cdiv(grid_x * HW, TILE_FLAT))
        )
        n_per_share = triton.cdiv(N, n_shares)
        parts = triton.cdiv(N, n_per_share)
        sum_partials = _Scratch(_arithmetic(D), parts * grid_x * HW)

        ALIGN_C = _alignment(C, 16)
        ALIGN_HW = _alignment(HW, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        flat_partial_stage = _Stage(
            scale_gradient__flat_partial,
            (triton.cdiv(grid_x * HW, TILE_FLAT) * parts,),
            dy_ptr,
            x_ptr,
            N,
            C,
            HW,
            sum_partials,
            grid_x,
            n_per_share,
            TILE_N=TILE_N,
            TILE_FLAT=TILE_FLAT,
            ALIGN_C=ALIGN_C,
            ALIGN_HW=ALIGN_HW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=max(4, 8 // min(ALIGN_C * ALIGN_HW, ALIGN_HW * ALIGN_GRID_X)),
            tuned=scale_gradient__flat_partial_tuned,
            index64=scale_gradient__flat_partial__index64,
        )

        TILE_P = min(1024, _power_of_two(HW))
        TILE_PART = min(2048 // TILE_P, _power_of_two(parts))
        flat_final_stage = _Stage(
            scale_gradient__flat_final,
            (grid_x,),
            dscale_ptr,
            HW,
            sum_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=scale_gradient__flat_final_tuned,
            index64=scale_gradient__flat_final__index64,
        )
        return [flat_partial_stage, flat_final_stage]

    TILE_P = min(1024, _power_of_two(HW))
    TILE_N = min(4096 // TILE_P, _power_of_two(N))
    # 2048 programs share n, each at least four tiles of it.
    n_shares = max(1, min(triton.cdiv(N, 4 * TILE_N), 2048 // (triton.cdiv(HW, TILE_P) * grid_x)))
    n_per_share = triton.cdiv(N, n_shares)
    n_parts = triton.cdiv(N, n_per_share)
    parts = n_parts * triton.cdiv(HW, TILE_P)
    sum_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_HW = _alignment(HW, 16)
    partial_stage = _Stage(
        scale_gradient__partial,
        (triton.cdiv(HW, TILE_P) * grid_x * n_parts,),
        dy_ptr,
        x_ptr,
        N,
        C,
        HW,
        sum_partials,
        grid_x,
        n_per_share,
        TILE_N=TILE_N,
        TILE_P=TILE_P,
        ALIGN_HW=ALIGN_HW,
        num_warps=4,
        tuned=scale_gradient__partial_tuned,
        index64=scale_gradient__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        scale_gradient__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
        dscale_ptr,
        sum_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=scale_gradient__final_tuned,
        index64=scale_gradient__final__index64,
    )
    return [partial_stage, final_stage]



# block-axis: TILE_PLANE indices of `plane` in `global_average_pool__whole`
# split-reduction: the loop over `p` is shared out among programs
# block-axis: TILE_PLANE indices of `plane` in `global_average_pool__final`
# split-kernel: 2 launches: global_average_pool__partial, global_average_pool__final


@triton.jit
def global_average_pool__whole(
    x_ptr,
    y_ptr,
    HW,
    grid_x,
    TILE_PLANE: tl.constexpr,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces `TILE_PLANE` indices of `plane` by itself.

    Launched in the place of `global_average_pool`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    plane_tile = tl.program_id(0)
    # block-axis: a program does TILE_PLANE indices of plane.
    plane = plane_tile * TILE_PLANE + tl.arange(0, TILE_PLANE)[:, None]
    plane_mask = plane < grid_x

    sums = tl.zeros([TILE_PLANE, TILE_P], D)
    for p_start in range(0, HW, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[None, :]
        mask = plane_mask & (p < HW)
        sums += tl.load(x_ptr + (p + plane * HW), mask=mask, other=0.0).to(D)
    sums = tl.sum(sums, axis=1, keep_dims=True)
    tl.store(y_ptr + plane, sums / tl.cast(HW, D), mask=plane_mask)


@triton.jit
def global_average_pool__partial(
    x_ptr,
    HW,
    sums_partials,
    grid_x,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `p` to a partial result of `sums`.

    Launch 1 of 2 in the place of `global_average_pool`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    p_tiles = tl.cdiv(HW, TILE_P)
    p_tile = pid % p_tiles
    plane = pid // p_tiles
    # split-reduction: a program does TILE_P indices of p.
    p = p_tile * TILE_P + tl.arange(0, TILE_P)
    p_mask = p < HW

    sums = tl.sum(tl.load(x_ptr + (p + plane * HW), mask=p_mask, other=0.0).to(D))

    slot = p_tile * grid_x + plane
    tl.store(sums_partials + slot, sums)


@triton.jit
def global_average_pool__final(
    y_ptr,
    HW,
    sums_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_PLANE: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sums`, and stores what is made of them.

    Launch 2 of 2 in the place of `global_average_pool`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    plane_tile = tl.program_id(0)
    # block-axis: a program does TILE_PLANE indices of plane.
    plane = plane_tile * TILE_PLANE + tl.arange(0, TILE_PLANE)[None, :]
    plane_mask = plane < grid_x

    sums = tl.zeros([TILE_PART, TILE_PLANE], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = plane_mask & (part < parts)
        slot = part * grid_x + plane
        sums += tl.load(sums_partials + slot, mask=mask, other=0.0)
    sums = tl.sum(sums, axis=0, keep_dims=True)
    tl.store(y_ptr + plane, sums / tl.cast(HW, D), mask=plane_mask)


def _plan_global_average_pool(grid, x_ptr, y_ptr, HW, BLOCK, *, D):
    """What is launched in the place of `global_average_pool`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if HW < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each plane: programs reduce all of theirs in one launch.
    if HW < 1024:
        TILE_P = min(1024, _power_of_two(HW))
        TILE_PLANE = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_P, _power_of_two(grid_x // 264)
        )
        ALIGN_HW = _alignment(HW, 16)
        return [
            _Stage(
                global_average_pool__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
                x_ptr,
                y_ptr,
                HW,
                grid_x,
                TILE_PLANE=TILE_PLANE,
                TILE_P=TILE_P,
                ALIGN_HW=ALIGN_HW,
                num_warps=4,
                tuned=global_average_pool__whole_tuned,
                index64=global_average_pool__whole__index64,
            )
        ]

    # Programs are few: more of them share the loops.
    if grid_x < 256 and HW >= 16 * BLOCK:
        TILE_P = min(1024, _power_of_two(HW))
        parts = triton.cdiv(HW, TILE_P)
        sums_partials = _Scratch(_arithmetic(D), parts * grid_x)

        ALIGN_HW = _alignment(HW, 16)
        partial_stage = _Stage(
            global_average_pool__partial,
            (parts * grid_x,),
            x_ptr,
            HW,
            sums_partials,
            grid_x,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=global_average_pool__partial_tuned,
            index64=global_average_pool__partial__index64,
        )

        TILE_PLANE = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_PLANE, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        final_stage = _Stage(
            global_average_pool__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
            y_ptr,
            HW,
            sums_partials,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_PLANE=TILE_PLANE,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=global_average_pool__final_tuned,
            index64=global_average_pool__final__index64,
        )
        return [partial_stage, final_stage]
    return None



# block-axis: TILE_PLANE indices of `plane` in `instance_norm__whole`
# split-reduction: the loop over `p` is shared out among programs
# block-axis: TILE_PLANE indices of `plane` in `instance_norm__flat_final`
# block-axis: TILE_PLANE indices of `plane` in `instance_norm__flat_final_2`
# block-axis: TILE_FLAT indices of `flat` in `instance_norm__flat_apply`
# split-kernel: 5 launches: instance_norm__flat_partial, instance_norm__flat_final, instance_norm__flat_partial_2, instance_norm__flat_final_2, instance_norm__flat_apply
# collapse-axes: `plane` and `p` share lanes where `p` has fewer than 1024 indices, or starts where accesses are narrow
# block-axis: TILE_PLANE indices of `plane` in `instance_norm__final`
# block-axis: TILE_PLANE indices of `plane` in `instance_norm__final_2`
# spread-loop: a program for each tile of TILE_P indices of `p` in `instance_norm__apply`
# split-kernel: 5 launches: instance_norm__partial, instance_norm__final, instance_norm__partial_2, instance_norm__final_2, instance_norm__apply


@triton.jit
def instance_norm__whole(
    x_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    HW,
    eps,
    grid_x,
    TILE_PLANE: tl.constexpr,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces `TILE_PLANE` indices of `plane` by itself.

    Launched in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    plane_tile = tl.program_id(0)
    # block-axis: a program does TILE_PLANE indices of plane.
    plane = plane_tile * TILE_PLANE + tl.arange(0, TILE_PLANE)[:, None]
    plane_mask = plane < grid_x

    base = plane * HW
    count = tl.cast(HW, D)
    sums = tl.zeros([TILE_PLANE, TILE_P], D)
    for p_start in range(0, HW, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[None, :]
        mask = plane_mask & (p < HW)
        sums += tl.load(x_ptr + (p + base), mask=mask, other=0.0, eviction_policy="evict_last").to(
            D
        )
    sums = tl.sum(sums, axis=1, keep_dims=True)
    mean = sums / count
    squares = tl.zeros([TILE_PLANE, TILE_P], D)
    for p_start in range(0, HW, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[None, :]
        p_mask = p < HW
        mask = plane_mask & p_mask
        x = tl.load(x_ptr + (p + base), mask=mask, other=0.0, eviction_policy="evict_last").to(D)
        centred = x - mean
        squares += tl.where(p_mask, centred * centred, 0.0)
    squares = tl.sum(squares, axis=1, keep_dims=True)
    rstd = tl.rsqrt(squares / count + tl.cast(eps, D))
    tl.store(mean_ptr + plane, mean, mask=plane_mask)
    tl.store(rstd_ptr + plane, rstd, mask=plane_mask)
    for p_start in range(0, HW, TILE_P):
        p = p_start + tl.arange(0, TILE_P)[None, :]
        mask = plane_mask & (p < HW)
        x = tl.load(x_ptr + (p + base), mask=mask, eviction_policy="evict_first").to(D)
        tl.store(y_ptr + (p + base), (x - mean) * rstd, mask=mask)


@triton.jit
def instance_norm__flat_partial(
    x_ptr,
    HW,
    sums_partials,
    grid_x,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `p` to a partial result of `sums`.

    Launch 1 of 5 in the place of `instance_norm`.
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

    base = plane * HW
    sums = tl.sum(tl.load(x_ptr + (p + base), mask=p_mask, other=0.0).to(D))

    slot = p_tile * grid_x + plane
    tl.store(sums_partials + slot, sums)


@triton.jit
def instance_norm__flat_final(
    sums_partials,
    sums_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_PLANE: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sums`.

    Launch 2 of 5 in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        sums_partials.dtype.element_ty
        if sums_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
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
    tl.store(sums_total + plane, sums, mask=plane_mask)


@triton.jit
def instance_norm__flat_partial_2(
    x_ptr,
    HW,
    sums_total,
    squares_partials,
    grid_x,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `p` to a partial result of `squares`.

    Launch 3 of 5 in the place of `instance_norm`.
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

    sums = tl.load(sums_total + plane)
    base = plane * HW
    count = tl.cast(HW, D)
    mean = sums / count
    x = tl.load(x_ptr + (p + base), mask=p_mask, other=0.0).to(D)
    centred = x - mean
    squares = tl.sum(tl.where(p_mask, centred * centred, 0.0))

    slot = p_tile * grid_x + plane
    tl.store(squares_partials + slot, squares)


@triton.jit
def instance_norm__flat_final_2(
    mean_ptr,
    rstd_ptr,
    HW,
    eps,
    sums_total,
    squares_partials,
    squares_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_PLANE: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `squares`, and stores what is made of them.

    Launch 4 of 5 in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        mean_ptr.dtype.element_ty
        if mean_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    plane_tile = tl.program_id(0)
    # block-axis: a program does TILE_PLANE indices of plane.
    plane = plane_tile * TILE_PLANE + tl.arange(0, TILE_PLANE)[None, :]
    plane_mask = plane < grid_x

    squares = tl.zeros([TILE_PART, TILE_PLANE], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = plane_mask & (part < parts)
        slot = part * grid_x + plane
        squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    sums = tl.load(sums_total + plane, mask=plane_mask)
    count = tl.cast(HW, D)
    mean = sums / count
    rstd = tl.rsqrt(squares / count + tl.cast(eps, D))
    tl.store(mean_ptr + plane, mean, mask=plane_mask)
    tl.store(rstd_ptr + plane, rstd, mask=plane_mask)
    tl.store(squares_total + plane, squares, mask=plane_mask)


@triton.jit
def instance_norm__flat_apply(
    x_ptr,
    y_ptr,
    HW,
    eps,
    sums_total,
    squares_total,
    grid_x,
    TILE_FLAT: tl.constexpr,
    ALIGN_HW: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_FLAT` indices of `flat`.

    Launch 5 of 5 in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    flat_tile = tl.program_id(0)
    # collapse-axes: flat counts all p of each plane.
    # block-axis: a program does TILE_FLAT indices of flat.
    flat = flat_tile * TILE_FLAT + tl.arange(0, TILE_FLAT)
    flat_mask = flat < grid_x * HW

    plane = flat // HW
    sums = tl.load(sums_total + plane, mask=flat_mask)
    squares = tl.load(squares_total + plane, mask=flat_mask)
    count = tl.cast(HW, D)
    mean = sums / count
    rstd = tl.rsqrt(squares / count + tl.cast(eps, D))
    x = tl.load(x_ptr + flat, mask=flat_mask).to(D)
    tl.store(y_ptr + flat, (x - mean) * rstd, mask=flat_mask)


@triton.jit
def instance_norm__partial(
    x_ptr,
    HW,
    sums_partials,
    grid_x,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `p` to a partial result of `sums`.

    Launch 1 of 5 in the place of `instance_norm`.
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

    base = plane * HW
    sums = tl.sum(tl.load(x_ptr + (p + base), mask=p_mask, other=0.0).to(D))

    slot = p_tile * grid_x + plane
    tl.store(sums_partials + slot, sums)


@triton.jit
def instance_norm__final(
    sums_partials,
    sums_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_PLANE: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sums`.

    Launch 2 of 5 in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        sums_partials.dtype.element_ty
        if sums_partials.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
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
    tl.store(sums_total + plane, sums, mask=plane_mask)


@triton.jit
def instance_norm__partial_2(
    x_ptr,
    HW,
    sums_total,
    squares_partials,
    grid_x,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `p` to a partial result of `squares`.

    Launch 3 of 5 in the place of `instance_norm`.
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

    sums = tl.load(sums_total + plane)
    base = plane * HW
    count = tl.cast(HW, D)
    mean = sums / count
    x = tl.load(x_ptr + (p + base), mask=p_mask, other=0.0).to(D)
    centred = x - mean
    squares = tl.sum(tl.where(p_mask, centred * centred, 0.0))

    slot = p_tile * grid_x + plane
    tl.store(squares_partials + slot, squares)


@triton.jit
def instance_norm__final_2(
    mean_ptr,
    rstd_ptr,
    HW,
    eps,
    sums_total,
    squares_partials,
    squares_total,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_PLANE: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `squares`, and stores what is made of them.

    Launch 4 of 5 in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        mean_ptr.dtype.element_ty
        if mean_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    plane_tile = tl.program_id(0)
    # block-axis: a program does TILE_PLANE indices of plane.
    plane = plane_tile * TILE_PLANE + tl.arange(0, TILE_PLANE)[None, :]
    plane_mask = plane < grid_x

    squares = tl.zeros([TILE_PART, TILE_PLANE], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = plane_mask & (part < parts)
        slot = part * grid_x + plane
        squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    sums = tl.load(sums_total + plane, mask=plane_mask)
    count = tl.cast(HW, D)
    mean = sums / count
    rstd = tl.rsqrt(squares / count + tl.cast(eps, D))
    tl.store(mean_ptr + plane, mean, mask=plane_mask)
    tl.store(rstd_ptr + plane, rstd, mask=plane_mask)
    tl.store(squares_total + plane, squares, mask=plane_mask)


@triton.jit
def instance_norm__apply(
    x_ptr,
    y_ptr,
    HW,
    eps,
    sums_total,
    squares_total,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program computes `TILE_P` indices of `p`.

    Launch 5 of 5 in the place of `instance_norm`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    p_tiles = tl.cdiv(HW, TILE_P)
    p_tile = pid % p_tiles
    plane = pid // p_tiles
    # spread-loop: a program does TILE_P indices of p.
    p = p_tile * TILE_P + tl.arange(0, TILE_P)
    p_mask = p < HW

    sums = tl.load(sums_total + plane)
    squares = tl.load(squares_total + plane)
    base = plane * HW
    count = tl.cast(HW, D)
    mean = sums / count
    rstd = tl.rsqrt(squares / count + tl.cast(eps, D))
    x = tl.load(x_ptr + (p + base), mask=p_mask).to(D)
    tl.store(y_ptr + (p + base), (x - mean) * rstd, mask=p_mask)


def _plan_instance_norm(grid, x_ptr, y_ptr, mean_ptr, rstd_ptr, HW, eps, BLOCK, *, D):
    """What is launched in the place of `instance_norm`; None for itself."""
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
                instance_norm__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
                x_ptr,
                y_ptr,
                mean_ptr,
                rstd_ptr,
                HW,
                eps,
                grid_x,
                TILE_PLANE=TILE_PLANE,
                TILE_P=TILE_P,
                ALIGN_HW=ALIGN_HW,
                num_warps=4,
                tuned=instance_norm__whole_tuned,
                index64=instance_norm__whole__index64,
            )
        ]

    # Short p, and those that start where accesses are narrow, share the lanes of tiles with plane.
    if (
        (
            HW < 1024
            or _alignment(grid_x * HW, 16 // D.itemsize) >= 2 * _alignment(HW, 16 // D.itemsize)
        )
        and grid_x < 256
        and HW >= 16 * BLOCK
    ):
        TILE_P = min(1024, _power_of_two(HW))
        parts = triton.cdiv(HW, TILE_P)
        sums_partials = _Scratch(_arithmetic(D), parts * grid_x)
        sums_total = _Scratch(_arithmetic(D), grid_x)
        squares_partials = _Scratch(_arithmetic(D), parts * grid_x)
        squares_total = _Scratch(_arithmetic(D), grid_x)

        ALIGN_HW = _alignment(HW, 16)
        flat_partial_stage = _Stage(
            instance_norm__flat_partial,
            (parts * grid_x,),
            x_ptr,
            HW,
            sums_partials,
            grid_x,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=instance_norm__flat_partial_tuned,
            index64=instance_norm__flat_partial__index64,
        )

        TILE_PLANE = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_PLANE, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        flat_final_stage = _Stage(
            instance_norm__flat_final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
            sums_partials,
            sums_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_PLANE=TILE_PLANE,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=instance_norm__flat_final_tuned,
            index64=instance_norm__flat_final__index64,
        )

        flat_partial_2_stage = _Stage(
            instance_norm__flat_partial_2,
            (parts * grid_x,),
            x_ptr,
            HW,
            sums_total,
            squares_partials,
            grid_x,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=instance_norm__flat_partial_2_tuned,
            index64=instance_norm__flat_partial_2__index64,
        )

        flat_final_2_stage = _Stage(
            instance_norm__flat_final_2,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
            mean_ptr,
            rstd_ptr,
            HW,
            eps,
            sums_total,
            squares_partials,
            squares_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_PLANE=TILE_PLANE,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=instance_norm__flat_final_2_tuned,
            index64=instance_norm__flat_final_2__index64,
        )

        TILE_FLAT = min(512, _power_of_two(grid_x * HW))
        flat_apply_stage = _Stage(
            instance_norm__flat_apply,
            lambda meta: (triton.cdiv(grid_x * HW, meta["TILE_FLAT"]),),
            x_ptr,
            y_ptr,
            HW,
            eps,
            sums_total,
            squares_total,
            grid_x,
            TILE_FLAT=TILE_FLAT,
            ALIGN_HW=ALIGN_HW,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=instance_norm__flat_apply_tuned,
            index64=instance_norm__flat_apply__index64,
        )
        return [
            flat_partial_stage,
            flat_final_stage,
            flat_partial_2_stage,
            flat_final_2_stage,
            flat_apply_stage,
        ]

    # Programs are few: more of them share the loops.
    if grid_x < 256 and HW >= 16 * BLOCK:
        TILE_P = min(1024, _power_of_two(HW))
        parts = triton.cdiv(HW, TILE_P)
        sums_partials = _Scratch(_arithmetic(D), parts * grid_x)
        sums_total = _Scratch(_arithmetic(D), grid_x)
        squares_partials = _Scratch(_arithmetic(D), parts * grid_x)
        squares_total = _Scratch(_arithmetic(D), grid_x)

        ALIGN_HW = _alignment(HW, 16)
        partial_stage = _Stage(
            instance_norm__partial,
            (parts * grid_x,),
            x_ptr,
            HW,
            sums_partials,
            grid_x,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=instance_norm__partial_tuned,
            index64=instance_norm__partial__index64,
        )

        TILE_PLANE = min(4, _power_of_two(grid_x))
        TILE_PART = min(1024 // TILE_PLANE, _power_of_two(parts))
        ALIGN_GRID_X = _alignment(grid_x, 16)
        final_stage = _Stage(
            instance_norm__final,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
            sums_partials,
            sums_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_PLANE=TILE_PLANE,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=instance_norm__final_tuned,
            index64=instance_norm__final__index64,
        )

        partial_2_stage = _Stage(
            instance_norm__partial_2,
            (parts * grid_x,),
            x_ptr,
            HW,
            sums_total,
            squares_partials,
            grid_x,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=instance_norm__partial_2_tuned,
            index64=instance_norm__partial_2__index64,
        )

        final_2_stage = _Stage(
            instance_norm__final_2,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_PLANE"]),),
            mean_ptr,
            rstd_ptr,
            HW,
            eps,
            sums_total,
            squares_partials,
            squares_total,
            grid_x,
            parts,
            TILE_PART=TILE_PART,
            TILE_PLANE=TILE_PLANE,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=instance_norm__final_2_tuned,
            index64=instance_norm__final_2__index64,
        )

        TILE_P = min(512, _power_of_two(HW))
        apply_stage = _Stage(
            instance_norm__apply,
            lambda meta: (triton.cdiv(HW, meta["TILE_P"]) * grid_x,),
            x_ptr,
            y_ptr,
            HW,
            eps,
            sums_total,
            squares_total,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=instance_norm__apply_tuned,
            index64=instance_norm__apply__index64,
        )
        return [partial_stage, final_stage, partial_2_stage, final_2_stage, apply_stage]
    return None



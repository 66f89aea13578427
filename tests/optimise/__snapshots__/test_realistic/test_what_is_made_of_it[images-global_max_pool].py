# block-axis: TILE_C indices of `c` in `global_max_pool__whole`
# vectorise-loop: TILE_P indices of `p` in `global_max_pool__whole`
# vectorise-loop: TILE_P indices of `p` in `global_max_pool__partial`
# split-reduction: the loop over `p` is shared out among programs
# block-axis: TILE_C indices of `c` in `global_max_pool__final`
# split-kernel: 2 launches: global_max_pool__partial, global_max_pool__final


@triton.jit
def global_max_pool__whole(
    x_ptr,
    y_ptr,
    C,
    HW,
    grid_x,
    grid_y,
    TILE_C: tl.constexpr,
    TILE_P: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `global_max_pool`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    n = pid % grid_y
    c_tile = pid // grid_y
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[:, None]
    c_mask = c < grid_x

    plane = n * C + c
    largest_start = tl.load(x_ptr + plane * HW, mask=c_mask).to(D)
    largest = tl.broadcast_to(largest_start, [TILE_C, TILE_P])
    for p_start in range(1, HW, TILE_P):
        # vectorise-loop: TILE_P indices of p at a time.
        p = p_start + tl.arange(0, TILE_P)[None, :]
        mask = c_mask & (p < HW)
        largest = tl.maximum(
            largest,
            tl.load(x_ptr + (plane * HW + p), mask=mask, other=-float("inf")).to(D),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 1, _maximum, keep_dims=True)
    tl.store(y_ptr + plane, largest, mask=c_mask)


@triton.jit
def global_max_pool__partial(
    x_ptr,
    C,
    HW,
    largest_partials,
    grid_x,
    grid_y,
    TILE_P: tl.constexpr,
):
    """Each program reduces its part of `p` to a partial result of `largest`.

    Launch 1 of 2 in the place of `global_max_pool`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    pid = tl.program_id(0)
    p_tiles = tl.cdiv(HW - 1, TILE_P)
    p_tile = pid % p_tiles
    c = (pid // p_tiles) % grid_x
    n = pid // (p_tiles * grid_x)
    # split-reduction: a program does TILE_P indices of p.
    p = 1 + p_tile * TILE_P + tl.arange(0, TILE_P)
    p_mask = p < HW

    plane = n * C + c
    largest_start = tl.load(x_ptr + plane * HW).to(D)
    largest = tl.full([TILE_P], largest_start, D)
    largest = tl.maximum(
        largest,
        tl.load(x_ptr + (plane * HW + p), mask=p_mask, other=-float("inf")).to(D),
        propagate_nan=tl.PropagateNan.ALL,
    )
    largest = tl.reduce(largest, None, _maximum)

    slot = (p_tile * grid_y + n) * grid_x + c
    tl.store(largest_partials + slot, largest)


@triton.jit
def global_max_pool__final(
    y_ptr,
    C,
    largest_partials,
    grid_x,
    grid_y,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `largest`, and stores what is made of them.

    Launch 2 of 2 in the place of `global_max_pool`.
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
    n = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    largest = tl.full([TILE_PART, TILE_C], -float("inf"), D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = (part * grid_y + n) * grid_x + c
        largest = tl.maximum(
            largest,
            tl.load(largest_partials + slot, mask=mask, other=-float("inf")),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, 0, _maximum, keep_dims=True)
    plane = n * C + c
    tl.store(y_ptr + plane, largest, mask=c_mask)


def _plan_global_max_pool(grid, x_ptr, y_ptr, C, HW, *, D):
    """What is launched in the place of `global_max_pool`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if HW - 1 < 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(2048, 64 * (grid_x * grid_y)) >= HW - 1:
        TILE_P = min(1024, _power_of_two(HW - 1))
        TILE_C = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_P,
            _power_of_two(grid_x),
            _power_of_two(grid_x * grid_y // 264),
        )
        return [
            _Stage(
                global_max_pool__whole,
                lambda meta: (grid_y * triton.cdiv(grid_x, meta["TILE_C"]),),
                x_ptr,
                y_ptr,
                C,
                HW,
                grid_x,
                grid_y,
                TILE_C=TILE_C,
                TILE_P=TILE_P,
                num_warps=4,
                tuned=global_max_pool__whole_tuned,
                index64=global_max_pool__whole__index64,
            )
        ]

    TILE_P = min(1024, _power_of_two(HW - 1))
    parts = triton.cdiv(HW - 1, TILE_P)
    largest_partials = _Scratch(_arithmetic(D), parts * (grid_x * grid_y))

    partial_stage = _Stage(
        global_max_pool__partial,
        (parts * grid_x * grid_y,),
        x_ptr,
        C,
        HW,
        largest_partials,
        grid_x,
        grid_y,
        TILE_P=TILE_P,
        num_warps=4,
        tuned=global_max_pool__partial_tuned,
        index64=global_max_pool__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        global_max_pool__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]) * grid_y,),
        y_ptr,
        C,
        largest_partials,
        grid_x,
        grid_y,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=global_max_pool__final_tuned,
        index64=global_max_pool__final__index64,
    )
    return [partial_stage, final_stage]



# vectorise-loop: TILE_I indices of `i` in `mean_squared_error__partial`
# split-reduction: the loop over `i` is shared out among programs
# split-kernel: 2 launches: mean_squared_error__partial, mean_squared_error__final


@triton.jit
def mean_squared_error__partial(
    x_ptr,
    target_ptr,
    n,
    sum_partials,
    TILE_I: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `i` to a partial result of `sum`.

    Launch 1 of 2 in the place of `mean_squared_error`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    n = (n // ALIGN_N) * ALIGN_N

    i_tile = tl.program_id(0)
    # split-reduction: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)
    i_mask = i < n

    difference = tl.load(x_ptr + i, mask=i_mask, other=0.0).to(D) - tl.load(
        target_ptr + i, mask=i_mask, other=0.0
    ).to(D)
    sum = tl.sum(difference * difference)
    tl.store(sum_partials + i_tile, sum)


@triton.jit
def mean_squared_error__final(
    loss_ptr,
    n,
    sum_partials,
    parts,
    TILE_PART: tl.constexpr,
    ALIGN_PARTS: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `mean_squared_error`.
    """
    D: tl.constexpr = (
        loss_ptr.dtype.element_ty
        if loss_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    parts = (parts // ALIGN_PARTS) * ALIGN_PARTS

    sum = tl.zeros([TILE_PART], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)
        part_mask = part < parts
        sum += tl.load(sum_partials + part, mask=part_mask, other=0.0)
    sum = tl.sum(sum)
    tl.store(loss_ptr, sum / tl.cast(n, D))


def _plan_mean_squared_error(grid, x_ptr, target_ptr, loss_ptr, n, *, D):
    """What is launched in the place of `mean_squared_error`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if n < 1 or grid_x > 1 or grid_y > 1 or grid_z > 1:
        return None

    TILE_I = min(1024, _power_of_two(n))
    parts = triton.cdiv(n, TILE_I)
    sum_partials = _Scratch(_arithmetic(D), parts)

    ALIGN_N = _alignment(n, 16)
    partial_stage = _Stage(
        mean_squared_error__partial,
        (parts,),
        x_ptr,
        target_ptr,
        n,
        sum_partials,
        TILE_I=TILE_I,
        ALIGN_N=ALIGN_N,
        num_warps=4,
        tuned=mean_squared_error__partial_tuned,
        index64=mean_squared_error__partial__index64,
    )

    TILE_PART = min(1024, _power_of_two(parts))
    ALIGN_PARTS = _alignment(parts, 16)
    final_stage = _Stage(
        mean_squared_error__final,
        (1,),
        loss_ptr,
        n,
        sum_partials,
        parts,
        TILE_PART=TILE_PART,
        ALIGN_PARTS=ALIGN_PARTS,
        num_warps=4,
        tuned=mean_squared_error__final_tuned,
        index64=mean_squared_error__final__index64,
    )
    return [partial_stage, final_stage]



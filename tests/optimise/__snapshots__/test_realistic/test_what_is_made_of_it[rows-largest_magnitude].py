# split-reduction: the loop over `at` is shared out among programs
# split-kernel: 2 launches: largest_magnitude__partial, largest_magnitude__final


@triton.jit
def largest_magnitude__partial(
    x_ptr,
    n,
    largest_partials,
    TILE_AT: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `at` to a partial result of `largest`.

    Launch 1 of 2 in the place of `largest_magnitude`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    n = (n // ALIGN_N) * ALIGN_N

    at_tile = tl.program_id(0)
    # split-reduction: a program does TILE_AT indices of at.
    at = at_tile * TILE_AT + tl.arange(0, TILE_AT)
    at_mask = at < n

    largest = tl.zeros([TILE_AT], D)
    x = tl.abs(tl.load(x_ptr + at, mask=at_mask, other=0.0).to(D))
    largest = tl.maximum(
        largest, tl.where(at_mask, x, -float("inf")), propagate_nan=tl.PropagateNan.ALL
    )
    largest = tl.reduce(largest, None, _maximum)
    tl.store(largest_partials + at_tile, largest)


@triton.jit
def largest_magnitude__final(
    y_ptr,
    largest_partials,
    parts,
    TILE_PART: tl.constexpr,
    ALIGN_PARTS: tl.constexpr,
):
    """Combines the partial results of `largest`, and stores what is made of them.

    Launch 2 of 2 in the place of `largest_magnitude`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    parts = (parts // ALIGN_PARTS) * ALIGN_PARTS

    largest = tl.full([TILE_PART], -float("inf"), D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)
        part_mask = part < parts
        largest = tl.maximum(
            largest,
            tl.load(largest_partials + part, mask=part_mask, other=-float("inf")),
            propagate_nan=tl.PropagateNan.ALL,
        )
    largest = tl.reduce(largest, None, _maximum)
    tl.store(y_ptr, largest)


def _plan_largest_magnitude(grid, x_ptr, y_ptr, n, BLOCK, *, D):
    """What is launched in the place of `largest_magnitude`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if n < 1 or grid_x > 1 or grid_y > 1 or grid_z > 1:
        return None

    # Programs are few: more of them share the loops.
    if n >= 16 * BLOCK:
        TILE_AT = min(1024, _power_of_two(n))
        parts = triton.cdiv(n, TILE_AT)
        largest_partials = _Scratch(_arithmetic(D), parts)

        ALIGN_N = _alignment(n, 16)
        partial_stage = _Stage(
            largest_magnitude__partial,
            (parts,),
            x_ptr,
            n,
            largest_partials,
            TILE_AT=TILE_AT,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=largest_magnitude__partial_tuned,
            index64=largest_magnitude__partial__index64,
        )

        TILE_PART = min(1024, _power_of_two(parts))
        ALIGN_PARTS = _alignment(parts, 16)
        final_stage = _Stage(
            largest_magnitude__final,
            (1,),
            y_ptr,
            largest_partials,
            parts,
            TILE_PART=TILE_PART,
            ALIGN_PARTS=ALIGN_PARTS,
            num_warps=4,
            tuned=largest_magnitude__final_tuned,
            index64=largest_magnitude__final__index64,
        )
        return [partial_stage, final_stage]
    return None



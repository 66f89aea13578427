# split-reduction: the loop over `at` is shared out among programs
# split-kernel: 2 launches: dot_product__partial, dot_product__final


@triton.jit
def dot_product__partial(
    a_ptr,
    b_ptr,
    n,
    sums_partials,
    TILE_AT: tl.constexpr,
    ALIGN_N: tl.constexpr,
):
    """Each program reduces its part of `at` to a partial result of `sums`.

    Launch 1 of 2 in the place of `dot_product`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    n = (n // ALIGN_N) * ALIGN_N

    at_tile = tl.program_id(0)
    # split-reduction: a program does TILE_AT indices of at.
    at = at_tile * TILE_AT + tl.arange(0, TILE_AT)
    at_mask = at < n

    a = tl.load(a_ptr + at, mask=at_mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=at_mask, other=0.0).to(tl.float32)
    sums = tl.sum(tl.where(at_mask, a * b, 0.0))
    tl.store(sums_partials + at_tile, sums)


@triton.jit
def dot_product__final(
    y_ptr,
    sums_partials,
    parts,
    TILE_PART: tl.constexpr,
    ALIGN_PARTS: tl.constexpr,
):
    """Combines the partial results of `sums`, and stores what is made of them.

    Launch 2 of 2 in the place of `dot_product`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    parts = (parts // ALIGN_PARTS) * ALIGN_PARTS

    sums = tl.zeros([TILE_PART], tl.float32)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)
        part_mask = part < parts
        sums += tl.load(sums_partials + part, mask=part_mask, other=0.0)
    sums = tl.sum(sums)
    tl.store(y_ptr, sums)


def _plan_dot_product(grid, a_ptr, b_ptr, y_ptr, n, BLOCK, *, D):
    """What is launched in the place of `dot_product`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if n < 1 or grid_x > 1 or grid_y > 1 or grid_z > 1:
        return None

    # Programs are few: more of them share the loops.
    if n >= 16 * BLOCK:
        TILE_AT = min(1024, _power_of_two(n))
        parts = triton.cdiv(n, TILE_AT)
        sums_partials = _Scratch(torch.float32, parts)

        ALIGN_N = _alignment(n, 16)
        partial_stage = _Stage(
            dot_product__partial,
            (parts,),
            a_ptr,
            b_ptr,
            n,
            sums_partials,
            TILE_AT=TILE_AT,
            ALIGN_N=ALIGN_N,
            num_warps=4,
            tuned=dot_product__partial_tuned,
            index64=dot_product__partial__index64,
        )

        TILE_PART = min(1024, _power_of_two(parts))
        ALIGN_PARTS = _alignment(parts, 16)
        final_stage = _Stage(
            dot_product__final,
            (1,),
            y_ptr,
            sums_partials,
            parts,
            TILE_PART=TILE_PART,
            ALIGN_PARTS=ALIGN_PARTS,
            num_warps=4,
            tuned=dot_product__final_tuned,
            index64=dot_product__final__index64,
        )
        return [partial_stage, final_stage]
    return None



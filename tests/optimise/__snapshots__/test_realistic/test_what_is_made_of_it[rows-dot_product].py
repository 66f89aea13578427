# split-reduction: the loop over `at` is shared out among programs
# split-kernel: 2 launches: dot_product__partial, dot_product__final


@triton.jit
def dot_product__partial(
    a_ptr,
    b_ptr,
    n,
    sums_partials,
    TILE_BLOCK: tl.constexpr,
):
    """What each part of the loop over `at` adds to `sums`.

    Launch 1 of 2 in the place of `dot_product`.
    """
    at_tile = tl.program_id(0)
    # split-reduction: a program does TILE_BLOCK indices of at.
    at = at_tile * TILE_BLOCK + tl.arange(0, TILE_BLOCK)
    at_mask = at < n

    sums = tl.zeros([TILE_BLOCK], tl.float32)
    a = tl.load(a_ptr + at, mask=at_mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=at_mask, other=0.0).to(tl.float32)
    sums = sums + tl.where(at_mask, a * b, 0.0)
    sums = tl.sum(sums)
    tl.store(sums_partials + at_tile, sums)


@triton.jit
def dot_product__final(
    y_ptr,
    sums_partials,
    parts,
    TILE_P: tl.constexpr,
    D: tl.constexpr,
):
    """The parts combined, and what is stored of the results.

    Launch 2 of 2 in the place of `dot_product`.
    """
    sums = tl.zeros([TILE_P], tl.float32)
    for p_start in range(0, parts, TILE_P):
        p = p_start + tl.arange(0, TILE_P)
        p_mask = p < parts
        sums = sums + tl.load(sums_partials + p, mask=p_mask, other=0.0)
    sums = tl.sum(sums)
    tl.store(y_ptr + 0, sums)


def _plan_dot_product(grid, a_ptr, b_ptr, y_ptr, n, BLOCK, *, D):
    """The launches in the place of `dot_product`; None for the kernel itself."""
    grid_x, grid_y, grid_z = grid
    if n < 1 or grid_x > 1 or grid_y > 1 or grid_z > 1:
        return None
    TILE_BLOCK = min(1024, _power_of_two(n))
    parts = triton.cdiv(n, TILE_BLOCK)
    sums_partials = _Scratch(torch.float32, parts)
    return [
        _Stage(
            dot_product__partial,
            (parts,),
            a_ptr,
            b_ptr,
            n,
            sums_partials,
            TILE_BLOCK=TILE_BLOCK,
            num_warps=4,
            tuned=dot_product__partial_tuned,
            index64=dot_product__partial__index64,
        ),
        _Stage(
            dot_product__final,
            (1,),
            y_ptr,
            sums_partials,
            parts,
            TILE_P=min(1024, _power_of_two(parts)),
            D=getattr(tl, str(_arithmetic(D)).removeprefix("torch.")),
            num_warps=4,
            tuned=dot_product__final_tuned,
            index64=dot_product__final__index64,
        ),
    ]



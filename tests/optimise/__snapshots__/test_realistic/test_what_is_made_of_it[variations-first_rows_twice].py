# vectorise-loop: TILE_N indices of `n` in `first_rows_twice__whole`
# block-axis: TILE_C indices of `c` in `first_rows_twice__whole`
# vectorise-loop: TILE_N indices of `n` in `first_rows_twice__partial`
# split-reduction: the loop over `n` is shared out among programs
# block-axis: TILE_C indices of `c` in `first_rows_twice__partial`
# block-axis: TILE_C indices of `c` in `first_rows_twice__final`
# split-kernel: 2 launches: first_rows_twice__partial, first_rows_twice__final


@triton.jit
def first_rows_twice__whole(
    x_ptr,
    y_ptr,
    N,
    C,
    first,
    grid_x,
    TILE_N: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `first_rows_twice`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    sum = tl.zeros([TILE_N, TILE_C], D)
    for n_start in tl.range(0, N, TILE_N, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1):
        # vectorise-loop: TILE_N indices of n at a time.
        n = n_start + tl.arange(0, TILE_N)[:, None]
        n_mask = n < N
        mask = c_mask & n_mask
        x = tl.load(x_ptr + (n * C + c), mask=mask).to(D)
        term = tl.where(n < first, x + x, x)
        sum += tl.where(n_mask, term, 0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    tl.store(y_ptr + c, sum, mask=c_mask)


@triton.jit
def first_rows_twice__partial(
    x_ptr,
    N,
    C,
    first,
    sum_partials,
    grid_x,
    n_per_share,
    TILE_N: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `n` to a partial result of `sum`.

    Launch 1 of 2 in the place of `first_rows_twice`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(grid_x, TILE_C)
    c_tile = pid % c_tiles
    share = pid // c_tiles
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    # split-reduction: the program's share of n.
    share_start = share * n_per_share
    share_end = tl.minimum(share_start + n_per_share, N)

    sum = tl.zeros([TILE_N, TILE_C], D)
    for n_start in tl.range(
        share_start, share_end, TILE_N, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1
    ):
        # vectorise-loop: TILE_N indices of n at a time.
        n = n_start + tl.arange(0, TILE_N)[:, None]
        n_mask = n < share_end
        mask = c_mask & n_mask
        x = tl.load(x_ptr + (n * C + c), mask=mask).to(D)
        term = tl.where(n < first, x + x, x)
        sum += tl.where(n_mask, term, 0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)

    slot = share * grid_x + c
    tl.store(sum_partials + slot, sum, mask=c_mask)


@triton.jit
def first_rows_twice__final(
    y_ptr,
    sum_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum`, and stores what is made of them.

    Launch 2 of 2 in the place of `first_rows_twice`.
    """
    D: tl.constexpr = (
        y_ptr.dtype.element_ty if y_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
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
    tl.store(y_ptr + c, sum, mask=c_mask)


def _plan_first_rows_twice(grid, x_ptr, y_ptr, N, C, first, *, D):
    """What is launched in the place of `first_rows_twice`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, grid_x) >= N:
        TILE_C = min(32, _power_of_two(grid_x), max(8, _power_of_two(grid_x // 128)))
        TILE_N = min({1: 256, 2: 256, 4: 128, 8: 128}[D.itemsize], _power_of_two(triton.cdiv(N, 4)))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                first_rows_twice__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
                x_ptr,
                y_ptr,
                N,
                C,
                first,
                grid_x,
                TILE_N=TILE_N,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
                tuned=first_rows_twice__whole_tuned,
                index64=first_rows_twice__whole__index64,
            )
        ]

    TILE_C = min(64, _power_of_two(grid_x))
    TILE_N = min(
        4096 // TILE_C,
        _power_of_two(N),
        max(16, _power_of_two(N * triton.cdiv(grid_x, TILE_C) // 1056)),
    )
    # 264 programs share n, each at least four tiles of it.
    n_shares = max(1, min(triton.cdiv(N, 4 * TILE_N), 264 // triton.cdiv(grid_x, TILE_C)))
    n_per_share = triton.cdiv(N, n_shares)
    parts = triton.cdiv(N, n_per_share)
    sum_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    partial_stage = _Stage(
        first_rows_twice__partial,
        (triton.cdiv(grid_x, TILE_C) * parts,),
        x_ptr,
        N,
        C,
        first,
        sum_partials,
        grid_x,
        n_per_share,
        TILE_N=TILE_N,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
        tuned=first_rows_twice__partial_tuned,
        index64=first_rows_twice__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    final_stage = _Stage(
        first_rows_twice__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
        y_ptr,
        sum_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=first_rows_twice__final_tuned,
        index64=first_rows_twice__final__index64,
    )
    return [partial_stage, final_stage]



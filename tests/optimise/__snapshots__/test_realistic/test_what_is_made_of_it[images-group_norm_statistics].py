# block-axis: TILE_N indices of `n` in `group_norm_statistics__whole`
# vectorise-loop: TILE_I indices of `i` in `group_norm_statistics__whole`
# vectorise-loop: TILE_I indices of `i` in `group_norm_statistics__partial`
# split-reduction: the loop over `i` is shared out among programs
# block-axis: TILE_N indices of `n` in `group_norm_statistics__final`
# split-kernel: 2 launches: group_norm_statistics__partial, group_norm_statistics__final


@triton.jit
def group_norm_statistics__whole(
    x_ptr,
    mean_ptr,
    rstd_ptr,
    G,
    K,
    HW,
    eps,
    grid_x,
    grid_y,
    TILE_N: tl.constexpr,
    TILE_I: tl.constexpr,
    ALIGN_K: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces `TILE_N` indices of `n` by itself.

    Launched in the place of `group_norm_statistics`.
    """
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    K = (K // ALIGN_K) * ALIGN_K
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    g = pid % grid_y
    n_tile = pid // grid_y
    # block-axis: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    n_mask = n < grid_x

    group = n * G + g
    length = K * HW
    sum = tl.zeros([TILE_N, TILE_I], tl.float32)
    squares = tl.zeros([TILE_N, TILE_I], tl.float32)
    for i_start in range(0, length, TILE_I):
        # vectorise-loop: TILE_I indices of i at a time.
        i = i_start + tl.arange(0, TILE_I)[None, :]
        i_mask = i < length
        mask = n_mask & i_mask
        x = tl.load(x_ptr + (group * length + i), mask=mask).to(tl.float32)
        sum += tl.where(i_mask, x, 0.0)
        squares += tl.where(i_mask, x * x, 0.0)
    sum = tl.sum(sum, axis=1, keep_dims=True)
    squares = tl.sum(squares, axis=1, keep_dims=True)
    count = tl.cast(length, tl.float32)
    mean = sum / count
    var = tl.maximum(squares / count - mean * mean, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(mean_ptr + group, mean, mask=n_mask)
    tl.store(rstd_ptr + group, tl.rsqrt(var + eps), mask=n_mask)


@triton.jit
def group_norm_statistics__partial(
    x_ptr,
    G,
    K,
    HW,
    sum_partials,
    squares_partials,
    grid_x,
    grid_y,
    TILE_I: tl.constexpr,
    ALIGN_K: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program reduces its part of `i` to a partial result of `sum` and `squares`.

    Launch 1 of 2 in the place of `group_norm_statistics`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    K = (K // ALIGN_K) * ALIGN_K
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    i_tiles = tl.cdiv(K * HW, TILE_I)
    i_tile = pid % i_tiles
    n = (pid // i_tiles) % grid_x
    g = pid // (i_tiles * grid_x)
    # split-reduction: a program does TILE_I indices of i.
    i = i_tile * TILE_I + tl.arange(0, TILE_I)
    i_mask = i < K * HW

    group = n * G + g
    length = K * HW
    x = tl.load(x_ptr + (group * length + i), mask=i_mask).to(tl.float32)
    sum = tl.sum(tl.where(i_mask, x, 0.0))
    squares = tl.sum(tl.where(i_mask, x * x, 0.0))

    slot = (i_tile * grid_y + g) * grid_x + n
    tl.store(sum_partials + slot, sum)
    tl.store(squares_partials + slot, squares)


@triton.jit
def group_norm_statistics__final(
    mean_ptr,
    rstd_ptr,
    G,
    K,
    HW,
    eps,
    sum_partials,
    squares_partials,
    grid_x,
    grid_y,
    parts,
    TILE_PART: tl.constexpr,
    TILE_N: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `sum` and `squares`, and stores what is made of them.

    Launch 2 of 2 in the place of `group_norm_statistics`.
    """
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    pid = tl.program_id(0)
    n_tiles = tl.cdiv(grid_x, TILE_N)
    n_tile = pid % n_tiles
    g = pid // n_tiles
    # block-axis: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[None, :]
    n_mask = n < grid_x

    sum = tl.zeros([TILE_PART, TILE_N], tl.float32)
    squares = tl.zeros([TILE_PART, TILE_N], tl.float32)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = n_mask & (part < parts)
        slot = (part * grid_y + g) * grid_x + n
        sum += tl.load(sum_partials + slot, mask=mask, other=0.0)
        squares += tl.load(squares_partials + slot, mask=mask, other=0.0)
    sum = tl.sum(sum, axis=0, keep_dims=True)
    squares = tl.sum(squares, axis=0, keep_dims=True)
    group = n * G + g
    length = K * HW
    count = tl.cast(length, tl.float32)
    mean = sum / count
    var = tl.maximum(squares / count - mean * mean, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(mean_ptr + group, mean, mask=n_mask)
    tl.store(rstd_ptr + group, tl.rsqrt(var + eps), mask=n_mask)


def _plan_group_norm_statistics(grid, x_ptr, mean_ptr, rstd_ptr, G, K, HW, eps, *, D):
    """What is launched in the place of `group_norm_statistics`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if K * HW < 1 or grid_z > 1:
        return None

    # There is little to do for each n: programs reduce all of theirs in one launch.
    if max(2048, 64 * (grid_x * grid_y)) >= K * HW:
        TILE_I = min(1024, _power_of_two(K * HW))
        TILE_N = min(
            {1: 2048, 2: 2048, 4: 1024, 8: 1024}[D.itemsize] // TILE_I,
            _power_of_two(grid_x),
            _power_of_two(grid_x * grid_y // 264),
        )
        ALIGN_K = _alignment(K, 16)
        ALIGN_HW = _alignment(HW, 16)
        return [
            _Stage(
                group_norm_statistics__whole,
                lambda meta: (grid_y * triton.cdiv(grid_x, meta["TILE_N"]),),
                x_ptr,
                mean_ptr,
                rstd_ptr,
                G,
                K,
                HW,
                eps,
                grid_x,
                grid_y,
                TILE_N=TILE_N,
                TILE_I=TILE_I,
                ALIGN_K=ALIGN_K,
                ALIGN_HW=ALIGN_HW,
                num_warps=4,
                tuned=group_norm_statistics__whole_tuned,
                index64=group_norm_statistics__whole__index64,
            )
        ]

    TILE_I = min(1024, _power_of_two(K * HW))
    parts = triton.cdiv(K * HW, TILE_I)
    sum_partials = _Scratch(torch.float32, parts * (grid_x * grid_y))
    squares_partials = _Scratch(torch.float32, parts * (grid_x * grid_y))

    ALIGN_K = _alignment(K, 16)
    ALIGN_HW = _alignment(HW, 16)
    partial_stage = _Stage(
        group_norm_statistics__partial,
        (parts * grid_x * grid_y,),
        x_ptr,
        G,
        K,
        HW,
        sum_partials,
        squares_partials,
        grid_x,
        grid_y,
        TILE_I=TILE_I,
        ALIGN_K=ALIGN_K,
        ALIGN_HW=ALIGN_HW,
        num_warps=4,
        tuned=group_norm_statistics__partial_tuned,
        index64=group_norm_statistics__partial__index64,
    )

    TILE_N = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_N, _power_of_two(parts))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    final_stage = _Stage(
        group_norm_statistics__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_N"]) * grid_y,),
        mean_ptr,
        rstd_ptr,
        G,
        K,
        HW,
        eps,
        sum_partials,
        squares_partials,
        grid_x,
        grid_y,
        parts,
        TILE_PART=TILE_PART,
        TILE_N=TILE_N,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=group_norm_statistics__final_tuned,
        index64=group_norm_statistics__final__index64,
    )
    return [partial_stage, final_stage]



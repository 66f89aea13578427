# block-axis: TILE_C indices of `c` in `layer_norm_parameter_gradients__whole`
# split-reduction: the loop over `rows` is shared out among programs
# block-axis: TILE_C indices of `c` in `layer_norm_parameter_gradients__partial`
# block-axis: TILE_C indices of `c` in `layer_norm_parameter_gradients__final`
# split-kernel: 2 launches: layer_norm_parameter_gradients__partial, layer_norm_parameter_gradients__final


@triton.jit
def layer_norm_parameter_gradients__whole(
    dy_ptr,
    x_ptr,
    mean_ptr,
    rstd_ptr,
    dweight_ptr,
    dbias_ptr,
    N,
    C,
    grid_x,
    TILE_ROWS: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces `TILE_C` indices of `c` by itself.

    Launched in the place of `layer_norm_parameter_gradients`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    dweight = tl.zeros([TILE_ROWS, TILE_C], D)
    dbias = tl.zeros([TILE_ROWS, TILE_C], D)
    for rows_start in tl.range(
        0, N, TILE_ROWS, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1
    ):
        rows = rows_start + tl.arange(0, TILE_ROWS)[:, None]
        rows_mask = rows < N
        mask = c_mask & rows_mask
        dy = tl.load(dy_ptr + (rows * C + c), mask=mask, other=0.0).to(D)
        x = tl.load(x_ptr + (rows * C + c), mask=mask, other=0.0).to(D)
        mean = tl.load(mean_ptr + rows, mask=rows_mask, other=0.0).to(D)
        rstd = tl.load(rstd_ptr + rows, mask=rows_mask, other=0.0).to(D)
        dweight += tl.where(rows_mask, dy * (x - mean) * rstd, 0.0)
        dbias += dy
    dweight = tl.sum(dweight, axis=0, keep_dims=True)
    dbias = tl.sum(dbias, axis=0, keep_dims=True)
    tl.store(dweight_ptr + c, dweight, mask=c_mask)
    tl.store(dbias_ptr + c, dbias, mask=c_mask)


@triton.jit
def layer_norm_parameter_gradients__partial(
    dy_ptr,
    x_ptr,
    mean_ptr,
    rstd_ptr,
    N,
    C,
    dweight_partials,
    dbias_partials,
    grid_x,
    rows_per_share,
    TILE_ROWS: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program reduces its part of `rows` to a partial result of `dweight` and `dbias`.

    Launch 1 of 2 in the place of `layer_norm_parameter_gradients`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
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
    # split-reduction: the program's share of rows.
    share_start = share * rows_per_share
    share_end = tl.minimum(share_start + rows_per_share, N)

    dweight = tl.zeros([TILE_ROWS, TILE_C], D)
    dbias = tl.zeros([TILE_ROWS, TILE_C], D)
    for rows_start in tl.range(
        share_start, share_end, TILE_ROWS, num_stages=4 if ALIGN_C > 1 and ALIGN_GRID_X > 1 else 1
    ):
        rows = rows_start + tl.arange(0, TILE_ROWS)[:, None]
        rows_mask = rows < share_end
        mask = c_mask & rows_mask
        dy = tl.load(dy_ptr + (rows * C + c), mask=mask, other=0.0).to(D)
        x = tl.load(x_ptr + (rows * C + c), mask=mask, other=0.0).to(D)
        mean = tl.load(mean_ptr + rows, mask=rows_mask, other=0.0).to(D)
        rstd = tl.load(rstd_ptr + rows, mask=rows_mask, other=0.0).to(D)
        dweight += tl.where(rows_mask, dy * (x - mean) * rstd, 0.0)
        dbias += dy
    dweight = tl.sum(dweight, axis=0, keep_dims=True)
    dbias = tl.sum(dbias, axis=0, keep_dims=True)

    slot = share * grid_x + c
    tl.store(dweight_partials + slot, dweight, mask=c_mask)
    tl.store(dbias_partials + slot, dbias, mask=c_mask)


@triton.jit
def layer_norm_parameter_gradients__final(
    dweight_ptr,
    dbias_ptr,
    dweight_partials,
    dbias_partials,
    grid_x,
    parts,
    TILE_PART: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Combines the partial results of `dweight` and `dbias`, and stores what is made of them.

    Launch 2 of 2 in the place of `layer_norm_parameter_gradients`.
    """
    D: tl.constexpr = (
        dweight_ptr.dtype.element_ty
        if dweight_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    c_tile = tl.program_id(0)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x

    dweight = tl.zeros([TILE_PART, TILE_C], D)
    dbias = tl.zeros([TILE_PART, TILE_C], D)
    for part_start in range(0, parts, TILE_PART):
        part = part_start + tl.arange(0, TILE_PART)[:, None]
        mask = c_mask & (part < parts)
        slot = part * grid_x + c
        dweight += tl.load(dweight_partials + slot, mask=mask, other=0.0)
        dbias += tl.load(dbias_partials + slot, mask=mask, other=0.0)
    dweight = tl.sum(dweight, axis=0, keep_dims=True)
    dbias = tl.sum(dbias, axis=0, keep_dims=True)
    tl.store(dweight_ptr + c, dweight, mask=c_mask)
    tl.store(dbias_ptr + c, dbias, mask=c_mask)


def _plan_layer_norm_parameter_gradients(
    grid, dy_ptr, x_ptr, mean_ptr, rstd_ptr, dweight_ptr, dbias_ptr, N, C, BLOCK, *, D
):
    """What is launched in the place of `layer_norm_parameter_gradients`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or grid_y > 1 or grid_z > 1:
        return None

    # There is little to do for each c: programs reduce all of theirs in one launch.
    if max(1024, grid_x) >= N:
        TILE_C = min(32, _power_of_two(grid_x), max(8, _power_of_two(grid_x // 128)))
        TILE_ROWS = min(min(64, 256 // max(D.itemsize, 4)), _power_of_two(triton.cdiv(N, 4)))
        ALIGN_C = _alignment(C, 16)
        ALIGN_GRID_X = _alignment(grid_x, 16)
        return [
            _Stage(
                layer_norm_parameter_gradients__whole,
                lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
                dy_ptr,
                x_ptr,
                mean_ptr,
                rstd_ptr,
                dweight_ptr,
                dbias_ptr,
                N,
                C,
                grid_x,
                TILE_ROWS=TILE_ROWS,
                TILE_C=TILE_C,
                ALIGN_C=ALIGN_C,
                ALIGN_GRID_X=ALIGN_GRID_X,
                num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
                tuned=layer_norm_parameter_gradients__whole_tuned,
                index64=layer_norm_parameter_gradients__whole__index64,
            )
        ]

    TILE_C = min(64, _power_of_two(grid_x))
    TILE_ROWS = min(
        min(2048, 8192 // max(D.itemsize, 4)) // TILE_C,
        _power_of_two(N),
        max(16, _power_of_two(N * triton.cdiv(grid_x, TILE_C) // 1056)),
    )
    # 264 programs share rows, each at least four tiles of it.
    rows_shares = max(1, min(triton.cdiv(N, 4 * TILE_ROWS), 264 // triton.cdiv(grid_x, TILE_C)))
    rows_per_share = triton.cdiv(N, rows_shares)
    parts = triton.cdiv(N, rows_per_share)
    dweight_partials = _Scratch(_arithmetic(D), parts * grid_x)
    dbias_partials = _Scratch(_arithmetic(D), parts * grid_x)

    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    partial_stage = _Stage(
        layer_norm_parameter_gradients__partial,
        (triton.cdiv(grid_x, TILE_C) * parts,),
        dy_ptr,
        x_ptr,
        mean_ptr,
        rstd_ptr,
        N,
        C,
        dweight_partials,
        dbias_partials,
        grid_x,
        rows_per_share,
        TILE_ROWS=TILE_ROWS,
        TILE_C=TILE_C,
        ALIGN_C=ALIGN_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=max(4, 8 // min(ALIGN_C, ALIGN_GRID_X)),
        tuned=layer_norm_parameter_gradients__partial_tuned,
        index64=layer_norm_parameter_gradients__partial__index64,
    )

    TILE_C = min(4, _power_of_two(grid_x))
    TILE_PART = min(1024 // TILE_C, _power_of_two(parts))
    final_stage = _Stage(
        layer_norm_parameter_gradients__final,
        lambda meta: (triton.cdiv(grid_x, meta["TILE_C"]),),
        dweight_ptr,
        dbias_ptr,
        dweight_partials,
        dbias_partials,
        grid_x,
        parts,
        TILE_PART=TILE_PART,
        TILE_C=TILE_C,
        ALIGN_GRID_X=ALIGN_GRID_X,
        num_warps=4,
        tuned=layer_norm_parameter_gradients__final_tuned,
        index64=layer_norm_parameter_gradients__final__index64,
    )
    return [partial_stage, final_stage]



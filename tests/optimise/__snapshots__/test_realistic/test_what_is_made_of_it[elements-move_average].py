# block-axis: TILE_AT indices of `at` in `move_average__tiled`


@triton.jit
def move_average__tiled(
    average_ptr,
    p_ptr,
    decay,
    grid_x,
    TILE_AT: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_AT` indices of `at`.

    Launched in the place of `move_average`.
    """
    D: tl.constexpr = (
        average_ptr.dtype.element_ty
        if average_ptr.dtype.element_ty.primitive_bitwidth > 16
        else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    decay = tl.cast(decay, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    at_tile = tl.program_id(0)
    # block-axis: a program does TILE_AT indices of at.
    at = at_tile * TILE_AT + tl.arange(0, TILE_AT)
    at_mask = at < grid_x

    average = tl.load(average_ptr + at, mask=at_mask).to(D)
    tl.store(
        average_ptr + at,
        average + tl.cast(1.0 - decay, D) * (tl.load(p_ptr + at, mask=at_mask).to(D) - average),
        mask=at_mask,
    )


def _plan_move_average(grid, average_ptr, p_ptr, decay, *, D):
    """What is launched in the place of `move_average`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if grid_y > 1 or grid_z > 1:
        return None

    TILE_AT = min(512, _power_of_two(grid_x))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            move_average__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_AT"]),),
            average_ptr,
            p_ptr,
            decay,
            grid_x,
            TILE_AT=TILE_AT,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=move_average__tiled_tuned,
            index64=move_average__tiled__index64,
        )
    ]



# block-axis: TILE_AT indices of `at` in `adam_step__tiled`


@triton.jit
def adam_step__tiled(
    p_ptr,
    g_ptr,
    m_ptr,
    v_ptr,
    rate,
    beta1,
    beta2,
    eps,
    grid_x,
    TILE_AT: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_AT` indices of `at`.

    Launched in the place of `adam_step`.
    """
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    rate = tl.cast(rate, tl.float32)
    beta1 = tl.cast(beta1, tl.float32)
    beta2 = tl.cast(beta2, tl.float32)
    eps = tl.cast(eps, tl.float32)

    # align: a launch finds what these are multiples of, so that accesses are wide.
    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X

    at_tile = tl.program_id(0)
    # block-axis: a program does TILE_AT indices of at.
    at = at_tile * TILE_AT + tl.arange(0, TILE_AT)
    at_mask = at < grid_x

    g = tl.load(g_ptr + at, mask=at_mask)
    b1 = beta1
    b2 = beta2
    m = tl.load(m_ptr + at, mask=at_mask) * b1 + g * (1.0 - beta1)
    v = tl.load(v_ptr + at, mask=at_mask) * b2 + g * g * (1.0 - beta2)
    step = m / (tl.sqrt(v) + eps)
    tl.store(m_ptr + at, m, mask=at_mask)
    tl.store(v_ptr + at, v, mask=at_mask)
    tl.store(p_ptr + at, tl.load(p_ptr + at, mask=at_mask) - rate * step, mask=at_mask)


def _plan_adam_step(grid, p_ptr, g_ptr, m_ptr, v_ptr, rate, beta1, beta2, eps):
    """What is launched in the place of `adam_step`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if grid_y > 1 or grid_z > 1:
        return None

    TILE_AT = min(512, _power_of_two(grid_x))
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            adam_step__tiled,
            lambda meta: (triton.cdiv(grid_x, meta["TILE_AT"]),),
            p_ptr,
            g_ptr,
            m_ptr,
            v_ptr,
            rate,
            beta1,
            beta2,
            eps,
            grid_x,
            TILE_AT=TILE_AT,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=adam_step__tiled_tuned,
            index64=adam_step__tiled__index64,
        )
    ]



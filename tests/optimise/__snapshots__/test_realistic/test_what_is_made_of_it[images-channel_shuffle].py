# split-index: `i` is taken apart into `n` and `p` below HW
# vectorise-loop: TILE_N indices of `n` in `channel_shuffle__tiled`
# spread-loop: a program for each tile of TILE_N indices of `n` in `channel_shuffle__tiled`
# vectorise-loop: TILE_P indices of `p` in `channel_shuffle__tiled`
# spread-loop: a program for each tile of TILE_P indices of `p` in `channel_shuffle__tiled`


@triton.jit
def channel_shuffle__tiled(
    x_ptr,
    y_ptr,
    N,
    G,
    K,
    HW,
    grid_x,
    TILE_N: tl.constexpr,
    TILE_P: tl.constexpr,
    ALIGN_HW: tl.constexpr,
):
    """Each program computes `TILE_N` by `TILE_P` indices of `n` and `p`.

    Launched in the place of `channel_shuffle`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    HW = (HW // ALIGN_HW) * ALIGN_HW

    pid = tl.program_id(0)
    p_tiles = tl.cdiv(HW, TILE_P)
    p_tile = pid % p_tiles
    c = (pid // p_tiles) % grid_x
    n_tile = pid // (p_tiles * grid_x)
    # spread-loop: a program does TILE_P indices of p.
    p = p_tile * TILE_P + tl.arange(0, TILE_P)[None, :]
    # spread-loop: a program does TILE_N indices of n.
    n = n_tile * TILE_N + tl.arange(0, TILE_N)[:, None]
    mask = (p < HW) & (n < N)

    C = G * K
    to = (c % K) * G + c // K
    x = tl.load(x_ptr + ((n * C + c) * HW + p), mask=mask)
    tl.store(y_ptr + ((n * C + to) * HW + p), x, mask=mask)


def _plan_channel_shuffle(grid, x_ptr, y_ptr, N, G, K, HW, *, D):
    """What is launched in the place of `channel_shuffle`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if N < 1 or G < 1 or K < 1 or HW < 1 or grid_y > 1 or grid_z > 1:
        return None

    TILE_P = min(min(512, 2048 // D.itemsize), _power_of_two(HW))
    TILE_N = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_P, _power_of_two(N))
    ALIGN_HW = _alignment(HW, 16)
    return [
        _Stage(
            channel_shuffle__tiled,
            lambda meta: (
                triton.cdiv(HW, meta["TILE_P"]) * grid_x * triton.cdiv(N, meta["TILE_N"]),
            ),
            x_ptr,
            y_ptr,
            N,
            G,
            K,
            HW,
            grid_x,
            TILE_N=TILE_N,
            TILE_P=TILE_P,
            ALIGN_HW=ALIGN_HW,
            num_warps=4,
            tuned=channel_shuffle__tiled_tuned,
            index64=channel_shuffle__tiled__index64,
        )
    ]



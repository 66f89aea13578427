# vectorise-loop: TILE_H indices of `h` in `depthwise_channels_last__tiled`
# spread-loop: a program for each tile of TILE_H indices of `h` in `depthwise_channels_last__tiled`
# block-axis: TILE_C indices of `c` in `depthwise_channels_last__tiled`


@triton.jit
def depthwise_channels_last__tiled(
    x_ptr,
    weight_ptr,
    y_ptr,
    H,
    W,
    C,
    K,
    grid_x,
    grid_y,
    TILE_H: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
    ALIGN_GRID_X: tl.constexpr,
):
    """Each program computes `TILE_H` by `TILE_C` indices of `h` and `c`.

    Launched in the place of `depthwise_channels_last`.
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
    image = (pid // c_tiles) % grid_y
    h_tile = pid // (c_tiles * grid_y)
    # block-axis: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    c_mask = c < grid_x
    # spread-loop: a program does TILE_H indices of h.
    h = h_tile * TILE_H + tl.arange(0, TILE_H)[:, None]
    mask = c_mask & (h < H)

    K_over_2 = K // 2

    for w in range(W):
        sum = tl.zeros([TILE_H, TILE_C], tl.float32)
        for kh in range(K):
            row = h + kh - K_over_2
            for kw in range(K):
                col = w + kw - K_over_2
                x = tl.load(
                    x_ptr + (((row + image * H) * W + col) * C + c),
                    mask=tl.where((col >= 0) & (col < W), mask & ((row >= 0) & (row < H)), False),
                    other=0.0,
                ).to(tl.float32)
                weight = tl.load(weight_ptr + ((kh * K + kw) * C + c), mask=c_mask).to(tl.float32)
                sum += x * weight
        tl.store(y_ptr + (((image * H + h) * W + w) * C + c), sum.to(D), mask=mask)


def _plan_depthwise_channels_last(grid, x_ptr, weight_ptr, y_ptr, H, W, C, K, *, D):
    """What is launched in the place of `depthwise_channels_last`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or H < 1 or W < 1 or K < 1 or grid_z > 1:
        return None

    TILE_C = min(256 // D.itemsize, _power_of_two(grid_x))
    TILE_H = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_C, _power_of_two(H))
    ALIGN_C = _alignment(C, 16)
    ALIGN_GRID_X = _alignment(grid_x, 16)
    return [
        _Stage(
            depthwise_channels_last__tiled,
            lambda meta: (
                triton.cdiv(grid_x, meta["TILE_C"]) * grid_y * triton.cdiv(H, meta["TILE_H"]),
            ),
            x_ptr,
            weight_ptr,
            y_ptr,
            H,
            W,
            C,
            K,
            grid_x,
            grid_y,
            TILE_H=TILE_H,
            TILE_C=TILE_C,
            ALIGN_C=ALIGN_C,
            ALIGN_GRID_X=ALIGN_GRID_X,
            num_warps=4,
            tuned=depthwise_channels_last__tiled_tuned,
            index64=depthwise_channels_last__tiled__index64,
        )
    ]



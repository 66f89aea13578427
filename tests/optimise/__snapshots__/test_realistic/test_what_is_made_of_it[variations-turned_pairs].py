# block-axis: TILE_ROW indices of `row` in `turned_pairs__tiled`
# vectorise-loop: TILE_PAIR indices of `pair` in `turned_pairs__tiled`
# spread-loop: a program for each tile of TILE_PAIR indices of `pair` in `turned_pairs__tiled`


@triton.jit
def turned_pairs__tiled(
    x_ptr,
    angle_ptr,
    C,
    grid_x,
    TILE_ROW: tl.constexpr,
    TILE_PAIR: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program computes `TILE_ROW` by `TILE_PAIR` indices of `row` and `pair`.

    Launched in the place of `turned_pairs`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    pair_tiles = tl.cdiv(C, TILE_PAIR)
    pair_tile = pid % pair_tiles
    row_tile = pid // pair_tiles
    # spread-loop: a program does TILE_PAIR indices of pair.
    pair = pair_tile * TILE_PAIR + tl.arange(0, TILE_PAIR)[None, :]
    pair_mask = pair < C
    # block-axis: a program does TILE_ROW indices of row.
    row = row_tile * TILE_ROW + tl.arange(0, TILE_ROW)[:, None]
    mask = pair_mask & (row < grid_x)

    at = row * C * 2
    angle = tl.load(angle_ptr + pair, mask=pair_mask)
    re = tl.load(x_ptr + (at + pair * 2), mask=mask).to(tl.float32)
    im = tl.load(x_ptr + (at + pair * 2 + 1), mask=mask).to(tl.float32)
    c = tl.cos(angle)
    s = tl.sin(angle)
    tl.store(x_ptr + (at + pair * 2), (re * c - im * s).to(D), mask=mask)
    tl.store(x_ptr + (at + pair * 2 + 1), (re * s + im * c).to(D), mask=mask)


def _plan_turned_pairs(grid, x_ptr, angle_ptr, C, *, D):
    """What is launched in the place of `turned_pairs`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if C < 1 or grid_y > 1 or grid_z > 1:
        return None

    TILE_PAIR = min(512 // D.itemsize, _power_of_two(C))
    TILE_ROW = min(
        {1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_PAIR, _power_of_two(grid_x)
    )
    ALIGN_C = _alignment(C, 16)
    return [
        _Stage(
            turned_pairs__tiled,
            lambda meta: (
                triton.cdiv(C, meta["TILE_PAIR"]) * triton.cdiv(grid_x, meta["TILE_ROW"]),
            ),
            x_ptr,
            angle_ptr,
            C,
            grid_x,
            TILE_ROW=TILE_ROW,
            TILE_PAIR=TILE_PAIR,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=turned_pairs__tiled_tuned,
            index64=turned_pairs__tiled__index64,
        )
    ]



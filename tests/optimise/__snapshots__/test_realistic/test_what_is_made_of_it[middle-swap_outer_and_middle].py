# vectorise-loop: TILE_S indices of `s` in `swap_outer_and_middle__tiled`
# spread-loop: a program for each tile of TILE_S indices of `s` in `swap_outer_and_middle__tiled`
# vectorise-loop: TILE_C indices of `c` in `swap_outer_and_middle__tiled`
# spread-loop: a program for each tile of TILE_C indices of `c` in `swap_outer_and_middle__tiled`


@triton.jit
def swap_outer_and_middle__tiled(
    x_ptr,
    y_ptr,
    B,
    S,
    C,
    grid_x,
    TILE_S: tl.constexpr,
    TILE_C: tl.constexpr,
    ALIGN_C: tl.constexpr,
):
    """Each program computes `TILE_S` by `TILE_C` indices of `s` and `c`.

    Launched in the place of `swap_outer_and_middle`.
    """
    # align: a launch finds what these are multiples of, so that accesses are wide.
    C = (C // ALIGN_C) * ALIGN_C

    pid = tl.program_id(0)
    c_tiles = tl.cdiv(C, TILE_C)
    c_tile = pid % c_tiles
    b = (pid // c_tiles) % grid_x
    s_tile = pid // (c_tiles * grid_x)
    # spread-loop: a program does TILE_C indices of c.
    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]
    # spread-loop: a program does TILE_S indices of s.
    s = s_tile * TILE_S + tl.arange(0, TILE_S)[:, None]
    mask = (c < C) & (s < S)

    tl.store(
        y_ptr + ((s * B + b) * C + c), tl.load(x_ptr + ((b * S + s) * C + c), mask=mask), mask=mask
    )


def _plan_swap_outer_and_middle(grid, x_ptr, y_ptr, B, S, C, *, D):
    """What is launched in the place of `swap_outer_and_middle`; None for itself."""
    grid_x, grid_y, grid_z = grid
    if B < 1 or S < 1 or C < 1 or grid_y > 1 or grid_z > 1:
        return None

    TILE_C = min(min(512, 2048 // D.itemsize), _power_of_two(C))
    TILE_S = min({1: 2048, 2: 2048, 4: 512, 8: 256}[D.itemsize] // TILE_C, _power_of_two(S))
    ALIGN_C = _alignment(C, 16)
    return [
        _Stage(
            swap_outer_and_middle__tiled,
            lambda meta: (
                triton.cdiv(C, meta["TILE_C"]) * grid_x * triton.cdiv(S, meta["TILE_S"]),
            ),
            x_ptr,
            y_ptr,
            B,
            S,
            C,
            grid_x,
            TILE_S=TILE_S,
            TILE_C=TILE_C,
            ALIGN_C=ALIGN_C,
            num_warps=4,
            tuned=swap_outer_and_middle__tiled_tuned,
            index64=swap_outer_and_middle__tiled__index64,
        )
    ]



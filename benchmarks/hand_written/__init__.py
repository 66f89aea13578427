"""The same kernels written for the hardware by hand: what the optimiser's output is compared with.

All of them see a matrix of `rows` and `COLUMNS`, whose columns belong to a channel each: a batch `[N, C]` as it is, and
images `[B, C, H, W]` as `B` rows of `C * H * W` columns, where `POSITIONS = H * W` neighbours share a channel. Tiles
are contiguous along the columns, whatever the extents of an image are. Sums over rows are split among programs, which
leave partial sums behind for a small second kernel to add in a fixed order.
"""

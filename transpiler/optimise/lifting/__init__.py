"""From kernels to nests."""

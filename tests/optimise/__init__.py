"""The optimising tier: what each transform makes of kernels, and that they compute the same."""

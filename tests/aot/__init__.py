"""Kernels compiled to machine code for GPUs that need not be there."""

"""Kernels run by a GPU.

Needs a checkout, torch, triton and pytest, and neither the compiler nor what it depends on:
`pytest tests/gpu -m gpu`.
"""

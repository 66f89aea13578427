"""Rust that kernels use, construct by construct: what programs compute, beside what rustc makes of them."""

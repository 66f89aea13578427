"""Rust text to syntax tree: scanner, Lark grammar, builder."""

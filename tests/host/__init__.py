"""The host side of generated modules: launchers and operators, on CPU tensors in Triton's interpreter."""

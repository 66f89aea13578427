"""PyTorch modules over generated operators."""

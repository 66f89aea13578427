"""Whole kernels in the style of a kernel library, from activations to attention, against torch in float64."""

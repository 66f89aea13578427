"""Properties that hold for kernels nobody wrote: generated ones, and mutations of our own."""

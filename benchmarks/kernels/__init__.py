"""The parts of `bench_kernels.py`: what is computed, by whom, how it is judged, timed and told."""

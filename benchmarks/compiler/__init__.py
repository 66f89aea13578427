"""The parts of `bench_compiler.py`: whole processes, warm translations, growth, and how all of it is told."""

"""Random scalar programs, run by rustc and by Triton."""

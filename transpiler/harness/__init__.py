"""Running, compiling and checking generated modules; the only part that imports torch and triton, lazily."""

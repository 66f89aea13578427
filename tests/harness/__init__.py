"""The harness: kernels run and compared by the command, as a user runs it."""

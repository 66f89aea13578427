"""The op table: one row an operation of the kernel language."""

"""What the numeric tests share: cases, references, tolerances, fences, and the check itself.

Needs torch only. The interpreter's tests and the GPU's run the same cases through the same check;
only the launcher differs.
"""

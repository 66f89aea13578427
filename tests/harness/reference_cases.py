"""Cases of the reference file, which stands where the project is developed and is no part of it.

Its kernels have the names and arguments of ours, so the cases are ours, `own_cases.py` beside this file when it is
used. Two things differ. It rounds `1 / N` and `1 - momentum` to f32 whatever the dtype is, which in f64 is an error of
some 2^-24. And it takes the variance as a mean square less a squared mean, whose digits are gone where the mean is
large; what is to be seen of that is a case of its own.
"""

from __future__ import annotations

from dataclasses import replace

from own_cases import CASES as OWN  # type: ignore[import-not-found]  # it is copied here

ROUNDED_CONSTANTS = {"f64": 2e-7}

CASES = [
    replace(case, shapes=case.shapes[:3], tolerance=None if case.name else ROUNDED_CONSTANTS)
    for case in OWN
]

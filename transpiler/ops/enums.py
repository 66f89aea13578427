"""The enums of the kernel language and what each member is in Triton.

None marks a member that means "the default": the argument is left out.
"""

from __future__ import annotations

ENUMS: dict[str, dict[str, int | str | None]] = {
    "Axis": {"X": 0, "Y": 1, "Z": 2},
    "PaddingOption": {"Zero": "zero", "Nan": "nan", "NaN": "nan"},
    "CacheModifier": {"Ca": ".ca", "Cg": ".cg", "Cv": ".cv", "Wb": ".wb", "Cs": ".cs", "Wt": ".wt"},
    "EvictionPolicy": {"EvictFirst": "evict_first", "EvictLast": "evict_last", "NoEvict": None},
    "InputPrecision": {"TF32": "tf32", "TF32x3": "tf32x3", "IEEE": "ieee"},
    "FpDowncastRounding": {"Rtne": "rtne", "Rtz": "rtz"},
    "MemSem": {
        "Relaxed": "relaxed",
        "Acquire": "acquire",
        "Release": "release",
        "AcqRel": "acq_rel",
    },
    "MemScope": {"Cta": "cta", "Gpu": "gpu", "Sys": "sys"},
}

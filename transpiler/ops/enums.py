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
    "DotFormat": {
        "E2M1x2": "e2m1",
        "E4M3": "e4m3",
        "E5M2": "e5m2",
        "BF16": "bf16",
        "FP16": "fp16",
        "E2M1x4": None,
        "BF16x2": None,
        "Int8": None,
        "UInt8": None,
    },
    "FpDowncastRounding": {"Rtne": "rtne", "Rtz": "rtz"},
    "MemSem": {
        "Relaxed": "relaxed",
        "Acquire": "acquire",
        "Release": "release",
        "AcqRel": "acq_rel",
    },
    "MemScope": {"Cta": "cta", "Gpu": "gpu", "Sys": "sys"},
}

FLOAT_MEMBERS: dict[str, frozenset[str]] = {"PaddingOption": frozenset({"Nan", "NaN"})}
"""The members that go with floats alone, by their enum."""

REFUSED: dict[str, dict[str, frozenset[str]]] = {
    "load": {"CacheModifier": frozenset({"Wb", "Cs", "Wt"})},
    "store": {"CacheModifier": frozenset({"Ca", "Cv"})},
    "dot_scaled": {"DotFormat": frozenset({"E2M1x4", "BF16x2", "Int8", "UInt8"})},
}
"""The members that Triton does not take for an operation, by its name and the enum's."""

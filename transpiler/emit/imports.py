"""The import lines of a generated module, computed from the names it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_STANDARD_LIBRARY = {
    "ctypes": "import ctypes",
    "functools": "import functools",
    "inspect": "import inspect",
    "itertools": "import itertools",
    "math": "import math",
    "Iterator": "from collections.abc import Callable, Iterator, Sequence",
    "Sequence": "from collections.abc import Callable, Sequence",
    "Callable": "from collections.abc import Callable",
    "nullcontext": "from contextlib import AbstractContextManager, nullcontext",
    "dataclass": "from dataclasses import dataclass",
    "lru_cache": "from functools import lru_cache, partial",
    "attrgetter": "from operator import attrgetter",
    "Any": "from typing import Any, TypeAlias",
    "ClassVar": "from typing import Any, ClassVar, NamedTuple, Self, TypeAlias",
}
_THIRD_PARTY = {
    "torch": "import torch",
    "triton": "import triton",
    "tl": "import triton.language as tl",
    "Tensor": "from torch import Tensor",
    "once_differentiable": "from torch.autograd.function import once_differentiable",
    "wrap_triton": "from torch.library import wrap_triton",
    "CompiledKernel": "from triton.compiler import CompiledKernel",
    "libdevice": "from triton.language.extra import libdevice",
}
_LONGER = (
    ("Callable", "Sequence"),
    ("Callable", "Iterator"),
    ("Sequence", "Iterator"),
    ("Any", "ClassVar"),
)


def import_lines(names: Iterable[str]) -> tuple[str, ...]:
    """The imports that bind `names`, the standard library's first, as import sorters order them."""
    wanted = frozenset(names)
    # A longer line of the same module takes the place of the shorter one.
    wanted -= {it for it, longer in _LONGER if longer in wanted}
    groups = [
        [line for name, line in table.items() if name in wanted]
        for table in (_STANDARD_LIBRARY, _THIRD_PARTY)
    ]
    lines: list[str] = []
    for group in groups:
        if lines and group:
            lines.append("")
        lines += group
    return tuple(lines)

"""Which GPU the tests of a process run on, where pytest-xdist spreads them over several.

Imports nothing but the standard library: it works before torch is imported, which reads the variable once.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence

VARIABLE: Final = "CUDA_VISIBLE_DEVICES"
WORKER: Final = "PYTEST_XDIST_WORKER"

_COUNT: Final = """
import ctypes
cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
print(count.value if cuda.cuInit(0) == cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0)
"""


def own_first(worker: str, devices: Sequence[str]) -> list[str]:
    """The devices in the order a worker is to see them: its own, by its number, in front.

    The others stay visible, for tests that use several. Workers beyond the devices share them.
    """
    number = re.fullmatch(r"gw(\d+)", worker)
    if number is None or not devices:
        return list(devices)
    place = int(number[1]) % len(devices)
    return [*devices[place:], *devices[:place]]


def devices(environment: MutableMapping[str, str]) -> list[str]:
    """The GPUs a process sees: those the variable names, else all that the driver counts."""
    named = environment.get(VARIABLE)
    if named is not None:
        return [name.strip() for name in named.split(",") if name.strip()]
    if not Path("/dev/nvidiactl").exists():
        return []
    # In a process of its own: the driver reads the variable when it is initialised.
    counted = subprocess.run(
        [sys.executable, "-c", _COUNT], capture_output=True, text=True, check=False
    )
    return [str(index) for index in range(int(counted.stdout.strip() or 0))]


def choose_device(environment: MutableMapping[str, str] = os.environ) -> None:
    """Have a worker of pytest-xdist see its own GPU first; other processes see what they did."""
    worker = environment.get(WORKER)
    if worker is not None and len(found := devices(environment)) > 1:
        environment[VARIABLE] = ",".join(own_first(worker, found))

"""Each worker of pytest-xdist has a GPU of its own, as far as there are enough."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spreading import VARIABLE, WORKER, choose_device, own_first

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("worker", "devices", "seen"),
    [
        ("gw0", "0 1 2", "0 1 2"),
        ("gw1", "0 1 2", "1 2 0"),
        ("gw2", "0 1 2", "2 0 1"),
        ("gw3", "0 1 2", "0 1 2"),
        ("gw10", "4 6", "4 6"),
        ("gw11", "4 6", "6 4"),
        ("gw5", "0", "0"),
        ("gw0", "", ""),
        ("master", "0 1", "0 1"),
    ],
)
def test_a_worker_sees_its_own_device_first(worker: str, devices: str, seen: str) -> None:
    assert own_first(worker, devices.split()) == seen.split()


def test_as_many_workers_as_devices_have_one_each() -> None:
    devices = [str(index) for index in range(8)]
    assert sorted(own_first(f"gw{number}", devices)[0] for number in range(8)) == devices
    firsts = [own_first(f"gw{number}", devices)[0] for number in range(16)]
    assert all(firsts.count(device) == 2 for device in devices)


def test_only_a_worker_chooses_and_only_among_what_is_named() -> None:
    environment = {VARIABLE: "GPU-a, GPU-b"}
    choose_device(environment)
    assert environment == {VARIABLE: "GPU-a, GPU-b"}
    environment[WORKER] = "gw1"
    choose_device(environment)
    assert environment[VARIABLE] == "GPU-b,GPU-a"
    hidden = {VARIABLE: "", WORKER: "gw1"}
    choose_device(hidden)
    assert hidden[VARIABLE] == ""


@pytest.mark.parametrize(("expression", "workers"), [("gpu", 3), ("not gpu", None)])
def test_auto_is_a_worker_a_device_for_the_gpu_alone(
    tmp_path: Path, expression: str, workers: int | None
) -> None:
    pytest.importorskip("xdist")
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    gpu: x\n", "utf-8")
    (tmp_path / "test_it.py").write_text(
        "import os, pytest\n\n"
        "@pytest.mark.gpu\n@pytest.mark.parametrize('n', range(12))\n"
        "def test_gpu(n):\n    print(os.environ['CUDA_VISIBLE_DEVICES'])\n    assert not 'seen'\n\n"
        "def test_other():\n    pass\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", expression, "-n", "auto", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            "PYTHONPATH": str(ROOT),
            VARIABLE: "5,6,7",
            "PYTEST_XDIST_AUTO_NUM_WORKERS": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"created: {workers or 1}/{workers or 1} worker" in done.stdout
    seen = {line for line in done.stdout.splitlines() if line.startswith(("5,", "6,", "7,"))}
    assert seen == ({"5,6,7", "6,7,5", "7,5,6"} if workers else set())

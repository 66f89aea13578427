"""What is known of a run before and after it: plain data, the same on both sides of a process's border."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from transpiler.frozen import dataclass


class Verdict(Enum):
    """What came of a run; the values are those of the JSON."""

    PASS = "pass"  # noqa: S105 - a verdict
    WRONG = "wrong result"
    UNWRITTEN = "unwritten elements"
    OUT_OF_BOUNDS = "out-of-bounds write"
    INPUT_CHANGED = "changed an input"
    REFUSED = "refused by Triton"
    ERROR = "error"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    DIFFERENT = "different results"
    NOT_COMPARED = "not compared"

    @property
    def is_failure(self) -> bool:
        """Whether something is wrong."""
        return self not in (Verdict.PASS, Verdict.NOT_COMPARED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """Which run: a case's kernel with dtypes, constants and a shape, all by name; `id` is the same each time.

    `name` is the case's own, which most have not.
    """

    file: str
    id: str
    kernel: str
    name: str
    dtypes: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, int | bool], ...]
    shape: tuple[tuple[str, int | float | bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputError:
    """How far an output is from float64's, torch's own distance, and what is allowed: relative errors.

    All are None for integers and bools, which must be equal; torch's own where its operators have not the dtype.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    error: float | None = None
    torch_error: float | None = None
    allowed: float | None = None

    @property
    def ratio(self) -> float:
        """The error over what is allowed; the output with the largest stands for its run."""
        return 0.0 if self.error is None or not self.allowed else self.error / self.allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonKey(RunKey):
    """Which comparison of a kernel with itself, launched by the operator of that `name`.

    `constants` are the block sizes that the operator is given, `reference` those of what it is compared with.
    """

    reference: tuple[tuple[str, int | bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one run; `message` says what is wrong, or is empty.

    `shapes` are those of the inputs that a comparison was made with, all inputs of one in a text.
    """

    key: RunKey
    verdict: Verdict
    message: str = ""
    outputs: tuple[OutputError, ...] = ()
    seconds: float = 0.0
    shapes: tuple[str, ...] = ()

    @property
    def worst(self) -> OutputError | None:
        """The output nearest to, or farthest beyond, what is allowed."""
        floats = [each for each in self.outputs if each.error is not None]
        return max(floats, key=lambda each: each.ratio, default=None)


# --- What the process that launches tells the one that shows ------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Where kernels run: `kind` is `cuda` or `interpreter`."""

    kind: str
    name: str
    torch: str
    triton: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """All runs of a file; `faults` say what is wrong with its cases, `uncased` are kernels without one.

    `comparisons` are those of kernels without a case, `incomparable` the other kernels without one, each with a reason.
    """

    file: str
    cases: str | None
    runs: tuple[RunKey, ...]
    faults: tuple[str, ...]
    uncased: tuple[str, ...]
    comparisons: tuple[ComparisonKey, ...] = ()
    incomparable: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run is about to be launched; `is_search` if it is not known yet on what."""

    key: RunKey
    is_search: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """No kernel can be launched: what is missing."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """There is nothing left to do, or, if `is_broken`, nothing can be done any more in this process."""

    is_broken: bool = False


Event: TypeAlias = Device | Planned | Begun | Outcome | Unusable | Finished

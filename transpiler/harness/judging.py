"""What a launch left behind, against float64: fences, unwritten elements, values, and torch's own error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.harness.arguments import refer
from transpiler.harness.cases import CaseError
from transpiler.harness.outcomes import OutputError, Verdict
from transpiler.harness.tolerances import MOVE, TRIALS, allowed, rounding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import torch

    from transpiler.harness.arguments import Given, Prepared, Tensors
    from transpiler.harness.fences import Fenced
    from transpiler.harness.runs import Run
    from transpiler.ir.types import DType


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong."""

    verdict: Verdict
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is right: the outputs from float64 inputs, the magnitudes that roundings act on, and torch's own outputs.

    `by_torch` is empty where torch's operators do not have the dtype.
    """

    exact: Tensors
    magnitudes: Tensors
    by_torch: Tensors


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What tolerances depend on besides.

    `terms` is how many terms a sum has, if the case says; else `inputs`, the elements of the largest input, tells.
    `largest_input` is the largest number among inputs. `is_chopped` says whether storing to bfloat16 drops the low bits
    instead of rounding.
    """

    terms: float | None
    inputs: int
    largest_input: float
    is_chopped: bool


def setting(given: Given, *, terms: float | None, is_chopped: bool) -> Setting:
    """The setting of a run."""
    tensors = given.tensors.values()
    return Setting(
        terms=terms,
        inputs=max((tensor.numel() for tensor in tensors), default=1),
        largest_input=max((largest(t) for t in tensors if t.is_floating_point()), default=1.0),
        is_chopped=is_chopped,
    )


def _is_bool(tensor: torch.Tensor) -> bool:
    return str(tensor.dtype) == "torch.bool"


def largest(tensor: torch.Tensor) -> float:
    """The largest finite absolute value."""
    return float(tensor.double().abs().nan_to_num(0.0, 0.0, 0.0).max()) if tensor.numel() else 0.0


def widened(given: Given) -> dict[str, torch.Tensor]:
    """The tensors as the reference gets them for what is right: the very numbers the kernel gets, floats in float64."""
    return {
        name: tensor.double() if tensor.is_floating_point() else tensor
        for name, tensor in indexable(given.tensors).items()
    }


def indexable(tensors: Tensors) -> dict[str, torch.Tensor]:
    """The tensors with integers in int64: torch takes labels and indices in no other dtype."""
    return {
        name: tensor if tensor.is_floating_point() or _is_bool(tensor) else tensor.long()
        for name, tensor in tensors.items()
    }


def find_truth(run: Run, given: Given, exact: Tensors, path: Path) -> Truth:
    """Measure, with the case's reference, what the launch is compared with."""
    try:
        by_torch = refer(run, given, indexable(given.tensors), path, is_exact=False)
    except CaseError:
        # It ran in float64: what fails here is that an operator has not the dtype.
        by_torch = {}
    return Truth(exact=exact, magnitudes=_magnitudes(run, given, exact, path), by_torch=by_torch)


def _magnitudes(run: Run, given: Given, exact: Tensors, path: Path) -> dict[str, torch.Tensor]:
    """For each element what roundings act on, as `tolerances` says."""
    import torch  # noqa: PLC0415 - an optional dependency of a second

    wide = widened(given)
    found = {name: value.double().abs() for name, value in exact.items()}
    generator = torch.Generator().manual_seed(run.seed)
    if not any(tensor.is_floating_point() for tensor in wide.values()):
        return found
    for _ in range(TRIALS):
        try:
            inputs = {name: moved(tensor, generator) for name, tensor in wide.items()}
            results = refer(run, given, inputs, path, is_exact=True)
        except CaseError:
            # An input was moved out of what the reference takes: this trial measures nothing.
            continue
        for name, value in results.items():
            if value.shape != exact[name].shape or not value.is_floating_point():
                continue
            sensitivity = (value.double() - exact[name].double()).abs() / MOVE
            known = torch.where(sensitivity.isfinite(), sensitivity, 0.0)
            found[name] = torch.maximum(found[name], known)
    return found


def moved(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every number a little up or down, each by its own part.

    Whole numbers stay: they may be labels, indices or flags that happen to be floats, or the ends of a domain.
    """
    import torch  # noqa: PLC0415 - an optional dependency of a second

    if not tensor.is_floating_point():
        return tensor
    part = torch.rand(tensor.shape, generator=generator, dtype=torch.float64).to(tensor.device)
    return torch.where(tensor == tensor.round(), tensor, tensor * (1.0 + MOVE * (part - 0.5)))


def judge(
    run: Run, given: Given, prepared: Prepared, truth: Truth, setting: Setting
) -> tuple[list[Finding], tuple[OutputError, ...]]:
    """Everything that is wrong after the launch, the gravest first, and how far each output is off."""
    findings = [*_trespasses(prepared), *_changed_inputs(run, prepared)]
    dtypes = {argument.name: run.dtype(argument.dtype) for argument in run.kernel.arguments}
    values: list[Finding] = []
    errors: list[OutputError] = []
    for name, exact in truth.exact.items():
        fenced = prepared.fenced[name]
        left = _unwritten(fenced, exact, is_only_written=name not in given.tensors)
        if left.any():
            message = f"{name}: {count(left)} never written, the first at {_first(left)}"
            findings.append(Finding(verdict=Verdict.UNWRITTEN, message=message))
        if dtypes[name].is_float:
            finding, error = _judge_floats(run, name, dtypes[name], fenced, left, truth, setting)
        else:
            finding, error = _judge_exactly(name, dtypes[name], fenced, left, exact)
        errors.append(error)
        values += [] if finding is None else [finding]
    return findings + values, tuple(errors)


def _judge_exactly(
    name: str, dtype: DType, fenced: Fenced, left: torch.Tensor, exact: torch.Tensor
) -> tuple[Finding | None, OutputError]:
    wrong = fenced.differs_from(exact) & ~left
    finding = _wrong(name, fenced.tensor, exact, wrong, "") if wrong.any() else None
    return finding, OutputError(name=name, dtype=dtype.value, shape=tuple(exact.shape))


def _judge_floats(
    run: Run,
    name: str,
    dtype: DType,
    fenced: Fenced,
    left: torch.Tensor,
    truth: Truth,
    setting: Setting,
) -> tuple[Finding | None, OutputError]:
    shape = fenced.tensor.shape
    exact = truth.exact[name].double().view(shape)
    terms = setting.terms or max(1.0, setting.inputs / max(1, exact.numel()))
    own = rounding(dtype, terms=terms, is_chopped=setting.is_chopped)
    least = own.least_magnitude(dtype, setting.largest_input, largest(exact))
    comparison = Differences(
        exact=exact,
        magnitude=truth.magnitudes[name].view(shape).clamp(min=least),
        stored=fenced.tensor.dtype,
    )
    theirs = truth.by_torch.get(name)
    torch_error = None if theirs is None else comparison.error(theirs.view(shape), left)
    bound = _given_tolerance(run, dtype)
    if bound is None:
        bound = allowed(own, torch_error)
    error = comparison.error(fenced.tensor, left)
    wrong = comparison.beyond(fenced.tensor, bound) & ~left
    finding = None
    if wrong.any():
        note = f"; the largest relative error is {error:.2g}, {bound:.2g} is allowed"
        finding = _wrong(name, fenced.tensor, comparison.exact, wrong, note)
    return finding, OutputError(
        name=name,
        dtype=dtype.value,
        shape=tuple(truth.exact[name].shape),
        error=error,
        torch_error=torch_error,
        allowed=bound,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """An output in float64, and the magnitudes its errors are relative to; `stored` is the dtype in memory."""

    exact: torch.Tensor
    magnitude: torch.Tensor
    stored: torch.dtype

    def _relative(self, found: torch.Tensor) -> torch.Tensor:
        return (found.double() - self.exact).abs() / self.magnitude

    def _is_special(self) -> torch.Tensor:
        """Where the right result is NaN or infinite, in float64 or once it is stored."""
        return ~self.exact.to(self.stored).isfinite()

    def error(self, found: torch.Tensor, left_out: torch.Tensor) -> float:
        """The largest relative error among finite elements."""
        ignored = left_out | self._is_special() | ~found.isfinite()
        return (
            float(self._relative(found).masked_fill(ignored, 0.0).max()) if found.numel() else 0.0
        )

    def beyond(self, found: torch.Tensor, bound: float) -> torch.Tensor:
        """The elements that are wrong: too far off, or finite where the right result is not, or the other way round."""
        import torch  # noqa: PLC0415 - an optional dependency of a second

        stored = self.exact.to(self.stored)
        same = (found == stored) | (found.isnan() & stored.isnan())
        close = self._relative(found) <= bound
        # What overflows when it is stored may be the largest finite number just as well.
        return torch.where(self.exact.isfinite(), ~(close | same), ~same)


def _trespasses(prepared: Prepared) -> Iterator[Finding]:
    for name, fenced in prepared.fenced.items():
        breaches = fenced.breaches()
        if breaches is not None:
            yield Finding(
                verdict=Verdict.OUT_OF_BOUNDS, message=f"{name}: {told(fenced, *breaches)}"
            )


def told(fenced: Fenced, elements: int, place: int) -> str:
    """How many elements outside a tensor were written, and where the first is, from its first element."""
    size = fenced.tensor.numel()
    where = f"{-place} before its beginning" if place < 0 else f"{place - size} after its end"
    return f"{_plural(elements)} outside it written, the first {where}"


def _changed_inputs(run: Run, prepared: Prepared) -> Iterator[Finding]:
    for name, fenced in prepared.fenced.items():
        if name not in run.kernel.written and (changed := fenced.changed()).any():
            yield Finding(
                verdict=Verdict.INPUT_CHANGED,
                message=f"{name}: {count(changed)} changed, the first at {_first(changed)}",
            )


def _unwritten(fenced: Fenced, exact: torch.Tensor, *, is_only_written: bool) -> torch.Tensor:
    """The elements that hold the poison still, and should not."""
    untouched = fenced.untouched()
    if not is_only_written:
        return untouched & False
    right = exact.view(untouched.shape)
    if right.is_floating_point():
        return untouched & ~right.isnan()
    # An integer may well be the poison's; a bool is 0 or 1.
    return untouched if fenced.is_bool else untouched & fenced.differs_from(right)


def _given_tolerance(run: Run, dtype: DType) -> float | None:
    given: float | Mapping[str, float] | None = run.case.tolerance
    return given if given is None or isinstance(given, float | int) else given.get(dtype.value)


def _wrong(
    name: str, found: torch.Tensor, exact: torch.Tensor, wrong: torch.Tensor, note: str
) -> Finding:
    at = tuple(wrong.nonzero()[0].tolist())
    right = exact.view(found.shape)[at].item()
    return Finding(
        verdict=Verdict.WRONG,
        message=f"{name}: {count(wrong)} wrong; {list(at)} is {shown(found[at].item())}, "
        f"should be {shown(right)}{note}",
    )


def shown(value: float) -> str:
    """An element, for users."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def count(flags: torch.Tensor) -> str:
    """How many elements are flagged, and of how many."""
    return f"{int(flags.sum())} of {_plural(flags.numel())}"


def _plural(count: int) -> str:
    return "1 element" if count == 1 else f"{count} elements"


def _first(flags: torch.Tensor) -> str:
    return str(flags.nonzero()[0].tolist())

"""A kernel against itself: what its operator gives with other block sizes, beside the smallest."""

from __future__ import annotations

import time
import traceback
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.harness.arguments import torch_dtypes
from transpiler.harness.candidates import candidates
from transpiler.harness.fences import around
from transpiler.harness.fencing import fencing
from transpiler.harness.judging import Differences, Finding, count, largest, moved, shown, told
from transpiler.harness.launching import LaunchError, explained, wait
from transpiler.harness.operators import dtype_of
from transpiler.harness.outcomes import Outcome, OutputError, Verdict
from transpiler.harness.tolerances import MOVE, TRIALS, across_blocks, rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

    from transpiler.harness.candidates import Candidate
    from transpiler.harness.comparisons import Comparison, Subject
    from transpiler.harness.fences import Fenced
    from transpiler.harness.launching import Bench
    from transpiler.ir.types import DType

    Tensors = Mapping[str, torch.Tensor]
    Blocks = tuple[tuple[str, int | bool], ...]

_ENOUGH = 3
"""On how many shapes results are compared."""

_MOST_TRIES = 600
"""After how many candidates an operator is given up: some that take two inputs and an output have thousands."""

_REACH = 1 << 14
"""How far, in elements, a launch on shapes that do not belong together may go astray and hit nothing but fences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What an operator gave; `breaches` say what it wrote elsewhere, `is_whole` whether every element is a number."""

    values: Tensors
    breaches: tuple[str, ...]
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Accepted:
    """Shapes that an operator takes, tensors of these, and what it gives for them with the smallest blocks."""

    candidate: Candidate
    tensors: Tensors
    reference: _Result


class NothingAcceptedError(Exception):
    """An operator cannot be launched on anything that was tried; the text says why."""


class Comparer:
    """Compares the kernels of one module; it remembers what each operator takes."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._accepted: dict[object, list[_Accepted] | NothingAcceptedError] = {}
        self._known_magnitudes: dict[object, Tensors] = {}

    def search(self, comparison: Comparison) -> None:
        """Find what the operator of a comparison takes, which may end the process."""
        with suppress(NothingAcceptedError):
            self._accept(comparison.subject)

    def compare(self, comparison: Comparison) -> Outcome:
        """Launch with the blocks of a comparison and with the least ones; whatever fails is in the outcome."""
        start = time.perf_counter()
        key = comparison.key
        findings: list[Finding] = []
        outputs: list[OutputError] = []
        shapes: list[str] = []
        try:
            for accepted in self._accept(comparison.subject):
                shapes.append(accepted.candidate.told)
                found, errors = self._judge(comparison, accepted)
                findings += found
                outputs += errors
        except NothingAcceptedError as error:
            findings.append(Finding(verdict=Verdict.NOT_COMPARED, message=str(error)))
        except LaunchError as error:
            message = f"{shapes[-1]}: with {_named(key.constants)}: {error}"
            findings.append(Finding(verdict=error.verdict, message=message))
        return Outcome(
            key=key,
            verdict=findings[0].verdict if findings else Verdict.PASS,
            message="\n".join(finding.message for finding in findings),
            outputs=tuple(outputs),
            seconds=time.perf_counter() - start,
            shapes=tuple(shapes),
        )

    # --- What an operator takes -------------------------------------------------------------------

    def _accept(self, subject: Subject) -> list[_Accepted]:
        """Candidates on which the smallest blocks give numbers, all with the same arguments.

        Raises:
            NothingAcceptedError: there are none.
        """
        known = self._accepted.get(subject.tells_apart)
        if known is None:
            known = self._tried(subject)
            self._accepted[subject.tells_apart] = known
        if isinstance(known, NothingAcceptedError):
            raise known
        return known

    def _tried(self, subject: Subject) -> list[_Accepted] | NothingAcceptedError:
        accepted: list[_Accepted] = []
        reason = "nothing was tried"
        blocks = frozenset(name for name, _ in subject.least)
        for place, candidate in enumerate(candidates(subject.operator, blocks)):
            # Other shapes beside an input that is settled do not belong to it.
            if any(candidate.inputs[0] == it.candidate.inputs[0] for it in accepted):
                continue
            if accepted:
                first = accepted[0].candidate
                is_alike = (candidate.arguments, candidate.is_positive) == (
                    first.arguments,
                    first.is_positive,
                )
                if len(accepted) == _ENOUGH or not is_alike:
                    break
            if place == _MOST_TRIES:
                break
            try:
                accepted.append(self._try(subject, candidate))
            except Exception as error:  # noqa: BLE001 - what refuses tensors raises anything
                reason = f"{candidate.told}: {type(error).__name__}: {error}"
        name = subject.operator.name
        return accepted or NothingAcceptedError(
            f"`{name}` takes no tensors that were tried; the last: {reason}"
        )

    def _try(self, subject: Subject, candidate: Candidate) -> _Accepted:
        tensors = self._draw(subject, candidate)
        reference = self._apply(subject, candidate, subject.least, tensors, subject.dtypes)
        if reference.breaches:
            raise ValueError(reference.breaches[0])
        if not reference.is_whole:
            raise ValueError("its results are no numbers")
        return _Accepted(candidate=candidate, tensors=tensors, reference=reference)

    def _draw(self, subject: Subject, candidate: Candidate) -> dict[str, torch.Tensor]:
        """The tensors of an operator, the same each time and on each device, in the dtypes of the kernel."""
        import torch  # noqa: PLC0415 - an optional dependency of a second

        operator = subject.operator
        shapes = dict(zip(operator.inputs, candidate.inputs, strict=True))
        output = candidate.output or candidate.inputs[0]
        op = operator.made({**candidate.arguments, **dict(subject.least)}, self._leading(subject))
        expected = op.param_shapes(list(candidate.inputs), output)
        shapes |= {
            name: tuple(shape) for name, shape in zip(operator.parameters, expected, strict=True)
        }
        generator = torch.Generator().manual_seed(_seed(subject, candidate))
        # Any of them may index any axis.
        below = max(1, min((extent for it in shapes.values() for extent in it), default=1))
        drawn: dict[str, torch.Tensor] = {}
        for name, shape in shapes.items():
            dtype = torch_dtypes()[_dtype(subject, name, subject.dtypes)]
            if not dtype.is_floating_point:
                values = torch.randint(
                    2 if dtype is torch.bool else below, shape, generator=generator
                )
            elif candidate.is_positive or name in operator.parameters:
                # A parameter may be a variance.
                values = 0.5 + torch.rand(shape, generator=generator, dtype=torch.float64)
            else:
                values = torch.randn(shape, generator=generator, dtype=torch.float64)
            drawn[name] = values.to(dtype).to(self._bench.device)
        return drawn

    def _leading(self, subject: Subject) -> torch.dtype:
        return torch_dtypes()[_dtype(subject, subject.operator.inputs[0], subject.dtypes)]

    # --- Launches ---------------------------------------------------------------------------------

    def _apply(
        self,
        subject: Subject,
        candidate: Candidate,
        blocks: Blocks,
        tensors: Tensors,
        dtypes: tuple[DType, ...],
        trial: torch.Generator | None = None,
    ) -> _Result:
        """What the operator gives; every number that goes into it is moved a little where there is a `trial`."""
        import torch  # noqa: PLC0415 - an optional dependency of a second

        operator = subject.operator
        fenced: dict[str, Fenced] = {}
        for name, tensor in tensors.items():
            dtype = torch_dtypes()[_dtype(subject, name, dtypes)]
            values = tensor if trial is None else moved(tensor.double(), trial)
            fenced[name] = around(
                values.to(dtype), reach=_REACH, is_written=name in operator.updated
            )
        given = {name: it.tensor for name, it in fenced.items()}
        leading = given[operator.inputs[0]].dtype
        op = operator.made({**candidate.arguments, **dict(blocks)}, leading)
        differentiated = [
            name
            for name in operator.gradients
            if subject.backward is not None and given[name].is_floating_point()
        ]
        for name in differentiated:
            given[name].requires_grad_()
        with fencing(_REACH) as made:
            output = op(*given.values(), output_shape=candidate.output)
            if subject.backward is None:
                values_by_name = {"output": output, **{it: given[it] for it in operator.updated}}
            else:
                generator = torch.Generator().manual_seed(_seed(subject, candidate) + 1)
                upstream = torch.randn(output.shape, generator=generator, dtype=torch.float64)
                if trial is not None:
                    upstream = moved(upstream, trial)
                upstream = upstream.to(output.dtype).to(output.device)
                fenced["the gradient of the output"] = around(
                    upstream, reach=_REACH, is_written=False
                )
                gradients = torch.autograd.grad(
                    output,
                    [given[name] for name in differentiated],
                    fenced["the gradient of the output"].tensor,
                )
                values_by_name = {
                    f"gradient of {name}": gradient
                    for name, gradient in zip(differentiated, gradients, strict=True)
                }
            wait(self._bench)
        fences = [*fenced.items(), *(("a result", it) for it in made)]
        return _Result(
            values={name: value.detach() for name, value in values_by_name.items()},
            breaches=tuple(
                f"{name}: {told(it, *breach)}"
                for name, it in fences
                if (breach := it.breaches()) is not None
            ),
            is_whole=all(it.isfinite().all() for it in (output, *values_by_name.values()))
            and not any(it.untouched().any() for it in made if not it.tensor.is_floating_point()),
        )

    def _magnitudes(self, subject: Subject, accepted: _Accepted) -> Tensors:
        """For each element what roundings act on, as `tolerances` says; it is measured when it is needed."""
        of = (*subject.tells_apart, accepted.candidate.told)
        if of not in self._known_magnitudes:
            self._known_magnitudes[of] = self._measured(subject, accepted)
        return self._known_magnitudes[of]

    def _measured(self, subject: Subject, accepted: _Accepted) -> Tensors:
        """Magnitudes by the kernel in float64, if it takes that."""
        import torch  # noqa: PLC0415 - an optional dependency of a second

        wide, candidate = subject.wide, accepted.candidate
        if wide is None:
            # Nothing tells where terms cancel; then they are as large as the largest result.
            return {
                name: torch.full_like(value, largest(value), dtype=torch.float64)
                for name, value in accepted.reference.values.items()
            }
        least, tensors = subject.least, accepted.tensors
        exact = self._apply(subject, candidate, least, tensors, wide).values
        found = {name: value.double().abs() for name, value in exact.items()}
        generator = torch.Generator().manual_seed(_seed(subject, candidate) + 2)
        for _ in range(TRIALS):
            trial = self._apply(subject, candidate, least, tensors, wide, generator).values
            for name, value in trial.items():
                sensitivity = (value.double() - exact[name].double()).abs() / MOVE
                known = torch.where(sensitivity.isfinite(), sensitivity, 0.0)
                found[name] = torch.maximum(found[name], known)
        return found

    # --- Judgement --------------------------------------------------------------------------------

    def _judge(
        self, comparison: Comparison, accepted: _Accepted
    ) -> tuple[list[Finding], list[OutputError]]:
        """What is different on accepted tensors, the gravest first.

        Raises:
            LaunchError: the operator raises with these blocks.
        """
        subject, key = comparison.subject, comparison.key
        candidate = accepted.candidate
        try:
            result = self._apply(
                subject, candidate, key.constants, accepted.tensors, subject.dtypes
            )
        except Exception as error:
            # Triton raises classes of every kind, and so does what the Rust asserts about its blocks.
            if _is_of_a_launch(error):
                raise explained(self._bench, key, error) from error
            message = f"{type(error).__name__}: {error}"
            raise LaunchError(Verdict.NOT_COMPARED, message) from error
        findings = [
            Finding(verdict=Verdict.OUT_OF_BOUNDS, message=f"{candidate.told}: {breach}")
            for breach in result.breaches
        ]
        outputs: list[OutputError] = []
        for name, found in result.values.items():
            finding, output = self._difference(comparison, accepted, name, found)
            findings += [] if finding is None else [finding]
            outputs.append(output)
        return findings, outputs

    def _difference(
        self, comparison: Comparison, accepted: _Accepted, name: str, found: torch.Tensor
    ) -> tuple[Finding | None, OutputError]:
        key, right = comparison.key, accepted.reference.values[name]
        dtype = _known(found.dtype)
        error, bound, note = None, None, ""
        wrong = found != right
        if dtype.is_float:
            inputs = list(accepted.tensors.values())
            terms = max(1.0, max(it.numel() for it in inputs) / max(1, right.numel()))
            is_chopped = not self._bench.is_gpu
            error, bound = 0.0, across_blocks(dtype, terms=terms, is_chopped=is_chopped)
            if wrong.any():
                floats = [largest(it) for it in inputs if it.is_floating_point()]
                own = rounding(dtype, terms=terms, is_chopped=is_chopped)
                least = own.least_magnitude(dtype, max(floats, default=1.0), largest(right))
                differences = Differences(
                    exact=right.double(),
                    magnitude=self._magnitudes(comparison.subject, accepted)[name].clamp(min=least),
                    stored=right.dtype,
                )
                error = differences.error(found, found.isnan())
                wrong = differences.beyond(found, bound)
                note = f"; the largest relative difference is {error:.2g}, {bound:.2g} is allowed"
        finding = None
        if wrong.any():
            at = tuple(wrong.nonzero()[0].tolist())
            message = (
                f"{accepted.candidate.told}: {name}: {count(wrong)} different; {list(at)} is "
                f"{shown(found[at].item())} with {_named(key.constants)} and "
                f"{shown(right[at].item())} with {_named(key.reference)}{note}"
            )
            finding = Finding(verdict=Verdict.DIFFERENT, message=message)
        output = OutputError(
            name=name, dtype=dtype.value, shape=tuple(found.shape), error=error, allowed=bound
        )
        return finding, output


def _named(blocks: Blocks) -> str:
    return " ".join(f"{name}={value}" for name, value in blocks)


def _is_of_a_launch(error: Exception) -> bool:
    """Whether Triton was at work, and not the operator."""
    import triton  # noqa: PLC0415 - an optional dependency of several seconds

    folder = Path(triton.__file__).parent
    frames = traceback.extract_tb(error.__traceback__)
    return any(Path(frame.filename).is_relative_to(folder) for frame in frames)


def _seed(subject: Subject, candidate: Candidate) -> int:
    return zlib.crc32(f"{subject.operator.name}{candidate.told}".encode())


def _dtype(subject: Subject, name: str, dtypes: tuple[DType, ...]) -> DType:
    return dtype_of(name, subject.forward, dtypes)


def _known(dtype: torch.dtype) -> DType:
    """What the language calls a dtype of torch's."""
    return next(ours for ours, theirs in torch_dtypes().items() if theirs == dtype)

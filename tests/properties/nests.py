"""Random nests: kernels with a program for each channel that goes over its elements, once or twice.

They are what the optimiser's large transforms are about: channels along an axis of the grid, or two; elements a tile or
one at a time, at `n * C + c` or at `(n * C + c) * HW + hw`; sums, products, extrema, or elements that stand for
themselves; numbers for each channel that are read, written or updated; constants that switch parts off.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch

BLOCK = 16
PARAMETERS = (
    "x_ptr: T::Pointer<D>, w_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, s_ptr: T::Pointer<D>, "
    "N: i32, C: i32, HW: i32, a: f32"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """A kernel `k`: `images` is how many `N` may be, `has_plane` whether `HW` may be more than 1."""

    rust: str
    has_plane: bool
    is_scaled: bool

    def grid(self, channels: int) -> tuple[int, ...]:
        """The programs of a launch."""
        return (channels,)

    def arguments(
        self, seed: int, dtype: torch.dtype, images: int, channels: int, plane: int
    ) -> list[torch.Tensor | int | float]:
        """Arguments of a launch; the tensors are new."""
        generator = torch.Generator().manual_seed(seed)
        plane = plane if self.has_plane else 1
        size = images * channels * plane

        def values(count: int) -> torch.Tensor:
            return torch.randn(count, generator=generator, dtype=torch.float64).to(dtype)

        numbers = [images, channels, plane, 0.75]
        return [values(size), values(channels), values(size), values(channels), *numbers]


_ELEMENTS = ("x", "x * x", "x - w", "T::abs(x) + w", "x * w", "T::exp(x * w)")
_RESULTS = ("x - r", "x * r + w", "T::maximum(x, r)", "(x - w) * r", "x")
_SUMS = {
    "sum": ("T::zeros::<D>(&[{0}])", "acc + {1}", "T::sum(acc, None, true)"),
    "greatest": (
        "T::full::<D>(&[{0}], D::from_f64(f64::NEG_INFINITY))",
        "T::maximum(acc, {1})",
        "T::max(acc, None, true)",
    ),
    "max": (
        "T::full::<D>(&[{0}], D::from_f64(-1e4))",
        "T::maximum(acc, {1})",
        "T::max(acc, None, true)",
    ),
    "min": (
        "T::full::<D>(&[{0}], D::from_f64(1e4))",
        "T::minimum(acc, {1})",
        "T::min(acc, None, true)",
    ),
}


def nest(seed: int) -> Nest:
    """The nest of a seed."""
    return _Maker(random.Random(seed)).nest()  # noqa: S311 - no secret


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._has_plane = rng.random() < 0.5
        self._is_scaled = rng.random() < 0.5

    def nest(self) -> Nest:
        rng = self._rng
        kind = rng.choice(tuple(_SUMS))
        tiled, tiled_again = rng.random() < 0.5, rng.random() < 0.5
        lines = [
            "let c = T::program_id(Axis::X);",
            "let at = T::arange(0, 1) + c;",
            "let total = N * HW;",
            f"let w1 = {_load('w_ptr', 'at')};",
        ]
        if rng.random() < 0.85:
            lines += self._reduction(kind, tiled=tiled)
            result = f"r1 * {_full('1', 'a')}" if self._is_scaled else "r1"
            if rng.random() < 0.5:
                lines.append(f"let before = {_load('s_ptr', 'at')};")
                result = f"before + {result}"
            if rng.random() < 0.3:
                lines.append(f"if TWICE {{ {_store('s_ptr', 'at', 'w1')} }}")
                lines.append(f"else {{ {_store('s_ptr', 'at', result)} }}")
            else:
                lines.append(_store("s_ptr", "at", result))
        else:
            lines.append("let r1 = w1;")
        if rng.random() < 0.7:
            lines += self._map(tiled=tiled_again)
        body = "\n".join(lines)
        return Nest(
            rust=(
                "#[kernel]\npub fn k<T: Triton, D: Float, const BLOCK: i32, const TWICE: bool>"
                f"({PARAMETERS}) {{\n{body}\n}}\n"
            ),
            has_plane=self._has_plane,
            is_scaled=self._is_scaled,
        )

    def _reduction(self, kind: str, *, tiled: bool) -> list[str]:
        start, step, end = _SUMS[kind]
        element = self._rng.choice(_ELEMENTS)
        extent = "BLOCK" if tiled else "1"
        value = "taken" if tiled else element
        return [
            f"let mut acc = {start.format(extent)};",
            "let mut first: i32 = 0;",
            "while first < total {",
            *self._element(tiled=tiled, counter="first"),
            *(
                [f"let taken = T::where_(inside, {element}, {start.format(extent)});"]
                if tiled
                else []
            ),
            f"acc = {step.format(extent, value)};",
            f"first += {'BLOCK' if tiled else '1'};",
            "}",
            f"let r1 = {end};" if tiled else "let r1 = acc;",
        ]

    def _map(self, *, tiled: bool) -> list[str]:
        result = self._rng.choice(_RESULTS)
        broadcast = "T::broadcast_to(r1, &[BLOCK])" if tiled else "r1"
        mask = "Some(inside)" if tiled else "None"
        return [
            "let mut second: i32 = 0;",
            "while second < total {",
            *self._element(tiled=tiled, counter="second"),
            f"let r = {broadcast};",
            _store("y_ptr", "place", result, mask),
            f"second += {'BLOCK' if tiled else '1'};",
            "}",
        ]

    def _element(self, *, tiled: bool, counter: str) -> list[str]:
        lanes = "T::arange(0, BLOCK)" if tiled else "T::arange(0, 1)"
        place = "(i / HW * C + c) * HW + i % HW" if self._has_plane else "i * C + c"
        mask = "Some(inside)" if tiled else "None"
        return [
            f"let i = {lanes} + {counter};",
            *(["let inside = i.lt(total);"] if tiled else []),
            f"let place = {place};",
            f"let x = {_load('x_ptr', 'place', mask)};",
            "let w = T::broadcast_to(w1, &[BLOCK]);" if tiled else "let w = w1;",
        ]


def _load(pointer: str, offsets: str, mask: str = "None") -> str:
    return f"T::load({pointer}.add_offsets({offsets}), {mask}, None, &[], None, None, None, false)"


def _store(pointer: str, offsets: str, value: str, mask: str = "None") -> str:
    return f"T::store({pointer}.add_offsets({offsets}), {value}, {mask}, &[], None, None);"


def _full(extent: str, number: str) -> str:
    return f"T::full::<D>(&[{extent}], D::from_f64({number} as f64))"

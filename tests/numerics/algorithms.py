"""What the kernels of a generated module compute, for what can be asked of them."""

from __future__ import annotations

import enum


class Algorithm(enum.StrEnum):
    """The ways of writing the same six kernels."""

    SOUND = "sound"
    """Variance from centred squares; constants rounded in the arithmetic's type; lanes beyond a
    channel's end enter sums as a selected zero; images walked by tiles."""
    MOMENTS = "moments"
    """Variance as the mean square less the squared mean; `1 / N` and `1 - momentum` rounded to f32;
    lanes beyond the end enter sums as what becomes of loaded zeros; the image backward walked
    element by element."""
    UNPADDED_MOMENTS = "unpadded-moments"
    """The same, but for what lanes beyond the end add: a selected zero, as with `-O`."""

    @property
    def is_by_moments(self) -> bool:
        """Whether variance is a difference of moments, and whatever else comes with it."""
        return self is not Algorithm.SOUND

    @property
    def pads_sums(self) -> bool:
        """Whether what becomes of loaded zeros enters sums."""
        return self is Algorithm.MOMENTS

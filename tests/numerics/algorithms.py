"""What the kernels of a generated module compute, for what can be asked of them."""

from __future__ import annotations

import enum


class Algorithm(enum.StrEnum):
    """Two ways of writing the same six kernels."""

    SOUND = "sound"
    """Variance from centred squares; constants rounded in the arithmetic's type; lanes beyond a
    channel's end enter sums as a selected zero; images walked by tiles."""
    MOMENTS = "moments"
    """Variance as the mean square less the squared mean; `1 / N` and `1 - momentum` rounded to f32;
    lanes beyond the end enter sums as what becomes of loaded zeros; the image backward walked
    element by element."""

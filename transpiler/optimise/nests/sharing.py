"""Which loops programs may share out among them.

Each program does a part of the iterations, and whatever stands beside the loop: nothing may be done there. What inner
loops leave behind for the iterations around them needs all of their own iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.optimise.nests.nest import Loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.optimise.nests.nest import Axis, Item


def may_be_shared(axis: Axis, items: Sequence[Item]) -> bool:
    """Whether the loop over an axis may be shared out: all that is done in the loops around it is done in it.

    Of these loops, and it, the outermost alone may leave something behind.
    """
    top = next((it for it in items if isinstance(it, Loop) and _is_around(it, axis)), None)
    if top is None:
        return False
    loop = top
    while loop.axis.symbol != axis.symbol:
        done = [it for it in loop.items if not isinstance(it, ir.Let)]
        if len(done) != 1 or not isinstance(done[0], Loop) or done[0].reductions:
            return False
        loop = done[0]
    return True


def _is_around(loop: Loop, axis: Axis) -> bool:
    return loop.axis.symbol == axis.symbol or any(
        isinstance(it, Loop) and _is_around(it, axis) for it in loop.items
    )

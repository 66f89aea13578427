"""Names that callers use and that are not those of the Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.description import ChangedName


def changed_names(names: Iterable[ChangedName], sink: Sink) -> None:
    """Tell the new name of each."""
    for name in names:
        sink.emit(
            "W0704",
            f"the {name.what} `{name.rust}` is called `{name.python}` in Python",
            name.span,
            label=f"Python or the generated module has another use for `{name.rust}`",
            help="give it another name, and callers find the same in both",
        )

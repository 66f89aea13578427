"""How the functions that generated modules define for the methods of scalars are written."""

from __future__ import annotations


def scalar_helper(name: str, parameters: str, summary: str, body: str) -> tuple[str, str]:
    """The name and the text of a function that makes `x` and `y` values of `dtype` first."""
    names = [part.strip() for part in parameters.split(",")]
    held = "".join(f"    {part} = tl.cast({part}, dtype)\n" for part in names if part in {"x", "y"})
    text = (
        f"@triton.jit\ndef {name}({parameters}, dtype: tl.constexpr):\n"
        f'    """{summary}"""\n{held}{body}'
    )
    return name, text

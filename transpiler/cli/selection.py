"""Whether the kernels and const generics that options name exist in an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transpiler.cli.translate import Declared, Translation
    from transpiler.pipeline import Options


def unknown_names(options: Options, done: Sequence[Translation]) -> list[Diagnostic]:
    """E0808 and E0809 for the names of `--kernel` and `--block` that mean nothing in any input.

    Where a text did not parse its names are not known, and nothing is said.
    """
    declared: list[Declared] = []
    for translation in done:
        if translation.declared is None:
            return []
        declared.append(translation.declared)
    if not declared:
        return []
    kernels = _merge(each.kernels for each in declared)
    generics = _merge(each.const_generics for each in declared)
    emitted = {kernel.name for translation in done for kernel in translation.kernels}
    found = []
    for name in options.kernels:
        if name not in kernels:
            found.append(
                _unknown("E0808", f"no kernel is called `{name}`", name, kernels, "kernels")
            )
        elif name not in emitted and not any(each.has_faults for each in done):
            found.append(_switched_off(name))
    for name, _ in options.blocks:
        if name not in generics:
            message = f"no kernel has a const generic `{name}`"
            found.append(_unknown("E0809", message, name, generics, "const generics"))
    return found


def _merge(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def _unknown(code: str, message: str, name: str, known: tuple[str, ...], what: str) -> Diagnostic:
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

    near = get_close_matches(name, known, n=1, cutoff=0.5)
    listed = ", ".join(f"`{each}`" for each in known)
    return Diagnostic(
        severity=Severity.ERROR,
        code=code,
        message=message,
        notes=(f"the {what} are {listed}" if known else f"there are no {what}",),
        help=f"did you mean `{near[0]}`?" if near else None,
    )


def _switched_off(name: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.ERROR,
        code="E0808",
        message=f"the kernel `{name}` is switched off by its `#[cfg(…)]`",
        help="name the feature with --features, or leave out --no-default-features",
    )

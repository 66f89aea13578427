"""What a run makes, and where each piece goes; two pieces never go to one place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from transpiler.cli.request import Place
from transpiler.cli.values import Emit
from transpiler.diagnostics.model import Diagnostic, Severity
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from transpiler.cli.request import Request
    from transpiler.cli.translate import Translation
    from transpiler.workspace import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """An input with what came of it."""

    input: Input
    translation: Translation


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """A piece of output: `path` is None for stdout, `origins` are the inputs it was made of."""

    path: Path | None
    data: bytes
    origins: tuple[Translated, ...]


def text_artefacts(request: Request, done: Sequence[Translated]) -> list[Artefact]:
    """The artefacts of inputs without errors: one each in a folder, else one for all."""
    good = [each for each in done if each.translation.text is not None]
    if request.destination.place is Place.FOLDER:
        return [
            Artefact(
                path=module_path(request, each), data=_join(request.emit, [each]), origins=(each,)
            )
            for each in good
        ]
    if not good:
        return []
    path = None if request.destination.place is Place.STDOUT else request.destination.path
    return [Artefact(path=path, data=_join(request.emit, good), origins=tuple(good))]


def module_path(request: Request, translated: Translated) -> Path:
    """The file in the folder of destination that belongs to an input."""
    return request.destination.path / (translated.input.stem + request.emit.suffix)


def compiled_path(request: Request, translated: Translated, entry: str, suffix: str) -> Path:
    """The file of one specialisation; where the user chose no place, a target has a folder."""
    where = request.destination
    if where.place is Place.FILE:
        return where.path
    folder = where.path
    if where.is_default:
        folder /= f"{translated.input.stem}.{request.target}"
    return folder / f"{entry}.{suffix}"


def collisions(request: Request, done: Sequence[Translated]) -> list[Diagnostic]:
    """E0805 for places that two inputs would be written to, and for inputs written over."""
    inputs = {os.path.realpath(each.input.path) for each in done}
    found: dict[str, Diagnostic] = {}
    first: dict[str, Translated] = {}
    for path, each in _places(request, done):
        real = os.path.realpath(path)
        other = first.setdefault(real, each)
        if real in inputs:
            found[real] = _collision(f"`{path}` is an input and would be written over")
        elif other is not each:
            names = f"`{other.input.name}` and `{each.input.name}`"
            found[real] = _collision(f"{names} would both be written to `{path}`")
    return list(found.values())


def _places(request: Request, done: Sequence[Translated]) -> Iterator[tuple[Path, Translated]]:
    """Every file that would be written, with the input it belongs to (one of them, if several)."""
    match request.destination.place:
        case Place.STDOUT:
            return
        case Place.FILE:
            yield from ((request.destination.path, each) for each in done[:1])
        case Place.FOLDER:
            for each in done:
                if request.emit.is_compiled:
                    for entry in each.translation.entries:
                        yield compiled_path(request, each, entry.name, request.emit.value), each
                else:
                    yield module_path(request, each), each


def _collision(message: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.ERROR,
        code="E0805",
        message=message,
        notes=("nothing was written",),
        help="give each a folder of its own: `--output FOLDER/`",
    )


def _join(emit: Emit, parts: Sequence[Translated]) -> bytes:
    if emit is Emit.JSON:
        from transpiler.cli.describe import document  # noqa: PLC0415 - for this format alone

        files = [each.translation.description for each in parts]
        return document([file for file in files if file is not None]).encode()
    texts = [each.translation.text or "" for each in parts]
    if len(texts) > 1:
        titles = (each.translation.source.name for each in parts)
        texts = [f"==> {title} <==\n{text}" for title, text in zip(titles, texts, strict=True)]
    return "\n".join(texts).encode("utf-8", "replace")

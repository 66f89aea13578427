"""Files in, files out: finding inputs, reading them, and writing what was made of them, atomically.

Nothing here prints: what goes wrong is a `FileError` that carries its diagnostic.
"""

from __future__ import annotations

import os
import stat
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from transpiler.diagnostics.model import Diagnostic
from transpiler.frozen import dataclass
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_BYTE_ORDER_MARK = "\ufeff"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# Below this many bytes a second process costs more than it saves: starting one takes as long as
# some 30 KB of Rust.
_BYTES_WORTH_A_POOL = 200_000

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class FileError(Exception):
    """A file could not be read, written or found; `name` is the file as the user knows it."""

    def __init__(
        self,
        code: str,
        name: str,
        message: str,
        *,
        notes: tuple[str, ...] = (),
        help: str | None = None,  # noqa: A002 - the part of a diagnostic it is
    ) -> None:
        from transpiler.diagnostics.codes import CODES  # noqa: PLC0415 - for failures alone

        super().__init__(message)
        self.name = name
        self.diagnostic = Diagnostic(
            severity=CODES[code].severity, code=code, message=message, notes=notes, help=help
        )


# --- Inputs -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A Rust file: `name` as the user would type it; `is_named` unless a search found it."""

    name: str
    path: Path
    is_named: bool = True

    @property
    def stem(self) -> str:
        """What a module made of it is called."""
        return self.path.stem


def discover(argument: str) -> list[Input]:
    """The inputs one argument stands for: the file, or all `*.rs` below a folder, sorted.

    Hidden folders are left out, and links to folders are not followed.

    Raises:
        FileError: nothing is there (E0801), or a folder without Rust files (E0802).
    """
    path = Path(argument)
    if not is_folder(path):
        if not exists(path):
            raise FileError("E0801", argument, f"no such file or folder: `{argument}`")
        return [Input(name=argument, path=path)]
    found: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = [each for each in folders if not each.startswith(".")]
        found.extend(Path(folder, each) for each in files if each.endswith(".rs"))
    if not found:
        raise FileError("E0802", argument, f"no Rust file (`*.rs`) in the folder `{argument}`")
    return [Input(name=str(each), path=each, is_named=False) for each in sorted(found)]


def exists(path: Path) -> bool:
    """Whether something is there, be it something that may not be looked at."""
    try:
        return path.exists()
    except OSError:
        # Forbidden, or a name too long: reading it tells which.
        return True


def is_folder(path: Path) -> bool:
    """Whether it is known to be a folder."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read(path: Path, name: str) -> SourceFile:
    """The text of a Rust file, under `name`.

    Raises:
        FileError: it cannot be read (E0806), is binary (E0804) or no UTF-8 (E0803).
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileError("E0801", name, f"no such file or folder: `{name}`") from None
    except OSError as error:
        raise FileError("E0806", name, f"cannot read `{name}`: {_reason(error)}") from None
    return decode(data, name)


def decode(data: bytes, name: str) -> SourceFile:
    """The text in `data` without its byte order mark; line ends stay as they are.

    Raises:
        FileError: it is binary (E0804) or no UTF-8 (E0803).
    """
    if data.startswith(_UTF16_MARKS):
        raise FileError(
            "E0804", name, f"`{name}` is UTF-16 text, not Rust source", help="save it as UTF-8"
        )
    if (zero := data.find(b"\0")) >= 0:
        raise FileError(
            "E0804", name, f"`{name}` is a binary file: there is a zero byte at offset {zero}"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            "E0803",
            name,
            f"`{name}` is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}, "
            f"line {line}",
            help="save it as UTF-8",
        ) from None
    return SourceFile(name, text.removeprefix(_BYTE_ORDER_MARK))


# --- Outputs ------------------------------------------------------------------------------------


class State(Enum):
    """What is on disk against what would be written."""

    CURRENT = "unchanged"
    STALE = "stale"
    MISSING = "missing"


def state(path: Path, data: bytes) -> State:
    """Whether the file at `path` holds `data`.

    Raises:
        FileError: it cannot be read (E0806).
    """
    try:
        return State.CURRENT if path.read_bytes() == data else State.STALE
    except FileNotFoundError:
        return State.MISSING
    except NotADirectoryError:
        return State.MISSING
    except OSError as error:
        raise FileError("E0806", str(path), f"cannot read `{path}`: {_reason(error)}") from None


def write(path: Path, data: bytes) -> bool:
    """Make the file at `path` hold `data`, and tell whether that changed it.

    Missing folders are made. The new content appears at once or not at all: it is written beside
    the file and moved over it. A file keeps its permissions, a link stays a link, and a file that
    holds `data` already keeps its time stamps. What is no regular file (`/dev/null`, a pipe) is
    written to as it is.

    Raises:
        FileError: it cannot be written (E0807).
    """
    try:
        target = Path(os.path.realpath(path))
        mode = _mode(target)
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
            return True
        if mode is not None and target.read_bytes() == data:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data, mode)
    except OSError as error:
        raise FileError(
            "E0807",
            str(path),
            f"cannot write `{path}`: {_reason(error)}",
            help="choose another place with `--output`",
        ) from None
    return True


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        # Exclusive creation under the user's mask: a new file gets the permissions any other new
        # file would get.
        with os.fdopen(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb"
        ) as file:
            file.write(data)
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        # An interrupt too: whatever ends the writing, nothing of it stays behind.
        temporary.unlink(missing_ok=True)
        raise


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


# --- Many files ---------------------------------------------------------------------------------


def parallel_map(
    function: Callable[[_Item], _Made], items: Sequence[_Item], sizes: Iterable[int]
) -> list[_Made]:
    """`function` of each item, in order; in processes where `sizes` (bytes) make that pay."""
    workers = min(len(items), _processors())
    if workers < 2 or sum(sizes) < _BYTES_WORTH_A_POOL:
        return [function(item) for item in items]
    # Imported here: most runs have one file, and start faster without them.
    import signal  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    chunk = max(1, len(items) // (workers * 4))
    # An interrupt reaches the whole group; this process answers it, the others would only complain.
    with ProcessPoolExecutor(
        workers, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    ) as pool:
        try:
            return list(pool.map(function, items, chunksize=chunk))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

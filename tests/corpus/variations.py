"""Mechanical rewrites of the corpus's Rust that change nothing of what it means."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LET = re.compile(r"^(?P<start> +let (?P<pattern>[^=]+?)) = (?P<value>[^;]*);", re.MULTILINE)
_NAMED = re.compile(
    r"^ +let (?:mut )?(\w+)|\bfor (\w+) in|^    (\w+): (?=T::|i32|f32)", re.MULTILINE
)
_FUNCTION = re.compile(r"^pub fn .*?^\}$", re.MULTILINE | re.DOTALL)
_SUFFIX = "_renamed"


def by_function(rust: str, change: Callable[[str], str]) -> str:
    """The file with a change made in each function."""
    return _FUNCTION.sub(lambda found: change(found[0]), rust)


def by_code(text: str, change: Callable[[str], str]) -> str:
    """The text with a change made outside its comments."""
    lines = []
    for line in text.split("\n"):
        code, slashes, comment = line.partition("//")
        lines.append(change(code) + slashes + comment)
    return "\n".join(lines)


def with_crlf(rust: str) -> str:
    """Line ends as Windows has them."""
    return rust.replace("\n", "\r\n")


def with_tabs(rust: str) -> str:
    """Tabs for indentation."""
    return re.sub(r"^ +", lambda spaces: "\t" * (len(spaces[0]) // 4), rust, flags=re.MULTILINE)


def on_one_line(rust: str) -> str:
    """Each function on a line, without its comments."""

    def joined(function: str) -> str:
        return " ".join(line.partition("//")[0].strip() for line in function.split("\n"))

    return by_function(rust, joined)


def with_comments(rust: str) -> str:
    """A comment behind each comma, and one at each line's end."""

    def commented(code: str) -> str:
        code = code.replace(", ", ", /* then */ ")
        return code + " /* so far */" if code.strip() else code

    return by_function(rust, lambda function: by_code(function, commented))


def with_suffixes(rust: str) -> str:
    """The dtype behind each integer."""

    def suffixed(function: str) -> str:
        head, brace, body = function.partition("\n{\n")
        number = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
        return head + brace + by_code(body, lambda code: number.sub(r"\1_i32", code))

    return by_function(rust, suffixed)


def in_parentheses(rust: str) -> str:
    """Parentheses around each value that is bound."""
    return by_function(rust, lambda text: _LET.sub(r"\g<start> = (\g<value>);", text))


def in_blocks(rust: str) -> str:
    """Braces around each value that is bound."""
    return by_function(rust, lambda text: _LET.sub(r"\g<start> = { \g<value> };", text))


def in_a_module(rust: str) -> str:
    """All kernels in a module."""
    start = min(found for found in (rust.find("\n///"), rust.find("\n#[")) if found > 0)
    first = rust.index("\n};\n") + 4 if "\n};\n" in rust else start
    return f"{rust[:first]}\npub mod inner {{\nuse super::*;\n{rust[first:]}\n}}\n"


def by_a_macro(rust: str) -> str:
    """All kernels passed through a macro."""
    first = rust.index("\n};\n") + 4
    wrapper = "macro_rules! kernels { ($($anything:tt)*) => { $($anything)* }; }\n"
    return f"{rust[:first]}\n{wrapper}kernels! {{\n{rust[first:]}\n}}\n"


def renamed(rust: str) -> str:
    """Parameters and variables under other names."""

    def rename(function: str) -> str:
        names = {next(filter(None, found)) for found in _NAMED.findall(function)} - {"_"}
        pattern = re.compile(rf"(?<![\w:])(?<![^.]\.)({'|'.join(sorted(names))})(?!\w)")
        return by_code(function, lambda code: pattern.sub(rf"\1{_SUFFIX}", code))

    return by_function(rust, rename)


def named_back(python: str) -> str:
    """What is generated from renamed Rust, under the names that the Rust had before."""

    def name(found: re.Match[str]) -> str:
        return found[1] + ("_" if keyword.iskeyword(found[1]) else "")

    # The optimiser has names in capitals made of names.
    return re.sub(rf"\b(\w+?)(?:{_SUFFIX}|{_SUFFIX.upper()})", name, python)


def in_steps(rust: str) -> str:
    """Each value that is bound computed in a block, under a name that ends there."""
    step = r"\g<start> = { let step = \g<value>; step };"
    return by_function(rust, lambda text: _LET.sub(step, text))


def reordered(rust: str) -> str:
    """Neighbouring bindings the other way round, where neither reads the other."""

    def swap(function: str) -> str:
        found = list(_LET.finditer(function))
        out, last, index = "", 0, 0
        while index + 1 < len(found):
            first, second = found[index], found[index + 1]
            between = function[first.end() : second.start()]
            if between == "\n" and _is_independent(first, second):
                out += function[last : first.start()] + second[0] + between + first[0]
                last, index = second.end(), index + 2
            else:
                index += 1
        return out + function[last:]

    return by_function(rust, swap)


def _is_independent(first: re.Match[str], second: re.Match[str]) -> bool:
    names = [re.findall(r"\w+", each["pattern"].partition(":")[0]) for each in (first, second)]
    read = [re.findall(r"\w+", each[0]) for each in (first, second)]
    return not set(names[0]) & set(read[1]) and not set(names[1]) & set(read[0])

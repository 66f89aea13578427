"""A module's text without what its author wrote for people."""

from __future__ import annotations

import ast
import io
import tokenize


def code_alone(text: str) -> str:
    """The code of a Python module: no comments, no docstrings, no blank lines."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for row in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[row - 1] = ""
    return "".join(f"{line}\n" for line in lines if line.strip())

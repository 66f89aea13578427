"""The renderer of one JSON object a line."""

from __future__ import annotations

import json

import jsonschema  # type: ignore[import-untyped]  # it ships no types

from tests.unit.diagnostics.reports import error, label_of, report
from transpiler.diagnostics.render.json import render
from transpiler.diagnostics.render.report import Report

_POINT = {
    "type": "object",
    "properties": {
        "offset": {"type": "integer", "minimum": 0},
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
    },
    "required": ["offset", "line", "column"],
    "additionalProperties": False,
}
_PLACE = {"anyOf": [_POINT, {"type": "null"}]}
_SCHEMA = {
    "type": "object",
    "properties": {
        "schema_version": {"const": 1},
        "file": {"type": ["string", "null"]},
        "code": {"type": "string", "pattern": "^[EWR][0-9]{4}$"},
        "severity": {"enum": ["error", "warning", "remark"]},
        "message": {"type": "string"},
        "start": _PLACE,
        "end": _PLACE,
        "label": {"type": "string"},
        "related": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"message": {"type": "string"}, "start": _POINT, "end": _POINT},
                "required": ["message", "start", "end"],
                "additionalProperties": False,
            },
        },
        "notes": {"type": "array", "items": {"type": "string"}},
        "help": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}
_SCHEMA["required"] = list(_SCHEMA["properties"])  # type: ignore[call-overload]  # it is a mapping


def test_each_line_is_an_object_of_the_documented_schema() -> None:
    text = "let é = 変;\nf(é);\n"
    reports = [
        report(
            text,
            error(
                label_of(text, "é", "used", after="f("),
                label_of(text, "é", "declared"),
                notes=("one", "two"),
                help="do",
            ),
            error(None),
        ),
        Report(source=None, diagnostics=(error(None),)),
    ]
    objects = [json.loads(line) for line in render(reports).splitlines()]

    for each in objects:
        jsonschema.validate(each, _SCHEMA)
    assert objects[0] == {
        "schema_version": 1,
        "file": "a.rs",
        "code": "E0801",
        "severity": "error",
        "message": "it is wrong",
        "start": {"offset": 13, "line": 2, "column": 3},
        "end": {"offset": 14, "line": 2, "column": 4},
        "label": "used",
        "related": [
            {
                "message": "declared",
                "start": {"offset": 4, "line": 1, "column": 5},
                "end": {"offset": 5, "line": 1, "column": 6},
            }
        ],
        "notes": ["one", "two"],
        "help": "do",
    }
    assert (objects[1]["file"], objects[1]["start"], objects[1]["end"]) == ("a.rs", None, None)
    assert objects[2]["file"] is None


def test_line_ends_in_messages_stay_within_their_line() -> None:
    assert len(render([report("", error(None, message="a\nb\u2028c"))]).split("\n")) == 2


def test_nothing_found_is_an_empty_text() -> None:
    assert render([report("fn f() {}")]) == ""

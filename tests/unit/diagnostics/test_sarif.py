"""The SARIF renderer, held against the structure that SARIF 2.1.0 requires."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.unit.diagnostics.reports import error, label_of, report
from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.model import Severity
from transpiler.diagnostics.render.report import Report
from transpiler.diagnostics.render.sarif import render

_MESSAGE = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_LOCATION = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": _MESSAGE,
        "physicalLocation": {
            "type": "object",
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "pattern": r"^[!-~]+$"}},
                    "required": ["uri"],
                    "additionalProperties": False,
                },
                "region": {
                    "type": "object",
                    "properties": {
                        **{
                            name: {"type": "integer", "minimum": 1}
                            for name in ("startLine", "startColumn", "endLine", "endColumn")
                        },
                        "charOffset": {"type": "integer", "minimum": 0},
                        "charLength": {"type": "integer", "minimum": 0},
                    },
                    "required": ["startLine"],
                    "additionalProperties": False,
                },
            },
            "required": ["artifactLocation"],
            "additionalProperties": False,
        },
    },
    "required": ["physicalLocation"],
    "additionalProperties": False,
}
_RULE = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "shortDescription": _MESSAGE,
        "fullDescription": _MESSAGE,
        "defaultConfiguration": {
            "type": "object",
            "properties": {"level": _LEVEL},
            "additionalProperties": False,
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _MESSAGE,
        "locations": {"type": "array", "items": _LOCATION, "maxItems": 1},
        "relatedLocations": {"type": "array", "items": _LOCATION, "minItems": 1},
    },
    "required": ["message"],
    "additionalProperties": False,
}
_RUN = {
    "type": "object",
    "properties": {
        "tool": {
            "type": "object",
            "properties": {
                "driver": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "version": {"type": "string"},
                        "rules": {"type": "array", "items": _RULE, "uniqueItems": True},
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                }
            },
            "required": ["driver"],
            "additionalProperties": False,
        },
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": _RESULT},
    },
    "required": ["tool"],
    "additionalProperties": False,
}
_LOG = {
    "type": "object",
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": _RUN, "minItems": 1, "maxItems": 1},
    },
    "required": ["version", "runs"],
    "additionalProperties": False,
}


def test_a_log_of_the_required_structure() -> None:
    text = "let 変 = 1;\nf(変);\n"
    reports = [
        report(
            text,
            error(
                label_of(text, "変", "used", after="f("),
                label_of(text, "変", "declared"),
                notes=("a note",),
                help="a help",
            ),
            error(None, severity=Severity.WARNING),
        ),
        Report(source=None, diagnostics=(error(None, severity=Severity.REMARK),)),
    ]
    log = json.loads(render(reports))

    jsonschema.validate(log, _LOG)
    run = log["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    first, second, third = run["results"]
    assert first["message"]["text"] == "it is wrong\nnote: a note\nhelp: a help"
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 3,
        "endLine": 2,
        "endColumn": 4,
        "charOffset": 13,
        "charLength": 1,
    }
    assert first["relatedLocations"][0]["message"] == {"text": "declared"}
    assert [each["level"] for each in run["results"]] == ["error", "warning", "note"]
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert "locations" not in third


def test_rules_are_the_table_of_codes_and_results_point_into_it() -> None:
    run = json.loads(render([report("x", error(None))]))["runs"][0]
    rules = run["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == list(CODES)
    assert rules[run["results"][0]["ruleIndex"]]["id"] == run["results"][0]["ruleId"]


def test_nothing_found_is_a_run_without_results() -> None:
    log = json.loads(render([]))

    jsonschema.validate(log, _LOG)
    assert log["runs"][0]["results"] == []


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("kernels/a b.rs", "kernels/a%20b.rs"),
        ("<stdin>", "%3Cstdin%3E"),
        ("変.rs", "%E5%A4%89.rs"),
        (str(Path("/tmp/a.rs")), "file:///tmp/a.rs"),  # noqa: S108 - a name, no file
    ],
)
def test_names_become_uris(name: str, uri: str) -> None:
    run = json.loads(render([report("", error(None), name=name)]))["runs"][0]

    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri

"""What is let through without jsonschema is only what that would let through: each word of a schema counts."""

from __future__ import annotations

import pytest

from companion.protocol.tools import ArgumentChecker, Tool

STRING = {"type": "string"}


def complaint(schema, arguments):
    return ArgumentChecker([Tool("tool", "Tool", "A tool.", schema)]).complaint("tool", arguments)


def of(part):
    return {"type": "object", "properties": {"a": part}}


@pytest.mark.parametrize(
    ("schema", "good", "bad", "word"),
    [
        (of(STRING), {"a": ""}, {"a": 1}, "string"),
        (of({"type": "boolean"}), {"a": False}, {"a": 0}, "boolean"),
        (of({"type": "integer"}), {"a": 1}, {"a": "1"}, "integer"),
        (of({"type": "string", "minLength": 2}), {"a": "xx"}, {"a": "x"}, "short"),
        (of({"type": "string", "maxLength": 2}), {"a": "xx"}, {"a": "xxx"}, "maxLength"),
        (of({"type": "string", "enum": ["x"]}), {"a": "x"}, {"a": "y"}, "enum"),
        (of({"type": ["string", "boolean"]}), {"a": True}, {"a": 1}, "string or boolean"),
        (of({"type": "array", "minItems": 1}), {"a": [1]}, {"a": []}, "minItems"),
        ({**of(STRING), "required": ["a"]}, {"a": "x"}, {}, "missing"),
        ({**of(STRING), "required": ["a", "b"]}, {"a": "x", "b": 1}, {"a": "x"}, '"b" is missing'),
        ({**of(STRING), "additionalProperties": False}, {"a": "x"}, {"b": 1}, "additionalProperties"),
        (of({"type": "object", "required": ["b"]}), {"a": {"b": 1}}, {"a": {}}, '"b" is missing in'),
    ],
)
def test_each_word_of_a_schema_counts(schema, good, bad, word):
    assert complaint(schema, good) is None
    assert word in complaint(schema, bad)


def test_what_a_schema_does_not_name_is_let_through():
    assert complaint(of(STRING), {"a": "x", "b": [1]}) is None


def test_no_value_is_quoted():
    assert "geheim" not in complaint(of({"type": "integer"}), {"a": "geheim"})

"""JSON with comments as text: what it says, and that an item is put in and taken out without a trace."""

from __future__ import annotations

import json
import random
from typing import Any, Iterator, List, Tuple

import pytest

from companion.hooking.json_text import DEEPEST, JsonTextError, Node, appended, parse, step_of_indentation, without

VALUE = {"matcher": "a|b", "hooks": [{"type": "command", "command": "curl 'ü b'", "timeout": 5}]}


# -- what it says


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (" [1, -2.5e3, true, null] ", [1, -2500.0, True, None]),
        ('{"a": "\\u00fc\\"]", /* c, } */ "b": [1,], // , }\n}', {"a": 'ü"]', "b": [1]}),
        ('["// no", "/* no */"]//', ["// no", "/* no */"]),
        ("/**/ 1 // end", 1),
    ],
)
def test_what_a_text_says(text: str, value: Any) -> None:
    assert parse(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "{",
        "[1",
        "[1 2]",
        "[,]",
        "[1,,]",
        "{'a': 1}",
        '{"a" 1}',
        '{"a": }',
        '{"a": 01}',
        "[.5]",
        "[1.]",
        "[+1]",
    ]
    + ["NaN", "[Infinity]", "truely", '["\n"]', '["\\x"]', '["open]', "[1] 2", "[/* open ]", "# no\n{}", "\ufeff{}"]
    + ['{"a": 1, "a": 2}', '{"a": {"b": 1, "\\u0062": 2}}', "[" * 2000, '{"a":' * 2000],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        parse(text)


def test_an_error_names_the_line() -> None:
    with pytest.raises(JsonTextError, match="^line 3 is no JSON$"):
        parse('{\n  "a": 1,\n  b: 2\n}')
    with pytest.raises(JsonTextError, match="^line 2 repeats a name$"):
        parse('{"a": 1,\n"a": 2}')


def test_what_is_nested_deeply_is_read_up_to_a_limit() -> None:
    assert parse("[" * DEEPEST + "]" * DEEPEST).value
    with pytest.raises(JsonTextError, match="nested too deeply"):
        parse("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


# -- edits


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[]", "[7]"),
        ("[]\n", "[7]\n"),
        ("[ ]", "[7 ]"),
        ("[\n]", "[\n  7\n]"),
        ("[1]", "[1, 7]"),
        ("[ 1 ]", "[ 1, 7 ]"),
        ("[1,]", "[1, 7,]"),
        ("[\n\t1\n]", "[\n\t1,\n\t7\n]"),
        ("[\r\n    1\r\n]", "[\r\n    1,\r\n    7\r\n]"),
        ("[\n  1,\n]\n", "[\n  1,\n  7,\n]\n"),
        ("[\n  1 // one\n]", "[\n  1, // one\n  7\n]"),
        ("[\n  1 // one\n  // more\n\n]", "[\n  1, // one\n  // more\n  7\n\n]"),
        ("[ /* none */ ]", "[ /* none */ 7 ]"),
        ("[ // none\n]", "[ // none\n  7\n]"),
        ("[1 // one\n]", "[1, // one\n  7\n]"),
        ("[\n  1]", "[\n  1,\n  7]"),
    ],
)
def test_an_item_is_written_as_its_neighbours_are(before: str, after: str) -> None:
    line_end = "\r\n" if "\r\n" in before else "\n"
    assert appended(before, parse(before), None, 7, line_end, "  ") == after
    root = parse(after)
    assert without(after, root, len(root.items) - 1) == before


def test_a_member_takes_over_the_indentation_of_its_file() -> None:
    text = '{\n\t"a": 1\n}\n'
    assert (
        appended(text, parse(text), "b", {"c": [1]}, "\n", step_of_indentation(text))
        == '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}\n'
    )
    assert appended('{"a":1}', parse('{"a":1}'), "b", {"c": [1]}, "\n", "  ") == '{"a":1, "b": {"c": [1]}}'


def test_what_comes_into_something_empty_is_in_lines_and_as_it_is_spelled() -> None:
    assert appended("{}", parse("{}"), "ü", ["é"], "\r\n", "\t") == '{"ü": [\r\n\t"é"\r\n]}'


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[\n  1,\n  2,\n  3\n]", 0, "[\n  2,\n  3\n]"),
        ("[1 /* one */, 2]", 1, "[1 /* one */]"),
        ("[1, // one\n  2 // two\n]", 1, "[1 // one\n   // two\n]"),
        ("[1, // one\n  2]", 1, "[1 // one\n  ]"),
        ("[1, 2 /* two */, 3]", 1, "[1, /* two */ 3]"),
        ("[1, 2,]", 1, "[1,]"),
        ("[1,]", 0, "[]"),
    ],
)
def test_an_item_goes_with_its_comma(before: str, index: int, after: str) -> None:
    assert without(before, parse(before), index) == after


# -- any text


def blanks(chance: random.Random, end: str) -> str:
    own_line = f"{end}// own{end}  "
    some = ["", "", " ", "  ", end, end + "  ", end + "\t", ' /* c, ] } " */ ', f' // x, ]" {{{end}', own_line, "/**/"]
    return chance.choice(some)


def any_json(chance: random.Random, deep: int, end: str) -> str:
    if not deep or chance.random() < 0.3:
        some = ["1", "-0.5e3", '"a"', '"\\u00fc\\"]"', "true", "null", '"// no"', '"/* no"', "{}", "[]", "[ ]"]
        return chance.choice([*some, "{ /* k */ }", f"[ // l{end}]", f"[{end}  ]"])
    of_object = chance.random() < 0.5
    items = []
    for number in range(chance.randint(0, 3)):
        name = f'"k{number}"{blanks(chance, end)}:{blanks(chance, end)}' if of_object else ""
        items.append(f"{blanks(chance, end)}{name}{any_json(chance, deep - 1, end)}{blanks(chance, end)}")
    trailing = "," + blanks(chance, end) if items and chance.random() < 0.3 else ""
    inside = ",".join(items) + trailing if items else blanks(chance, end)
    return f"{{{inside}}}" if of_object else f"[{inside}]"


def containers(node: Node, path: Tuple[int, ...] = ()) -> Iterator[Tuple[int, ...]]:
    if isinstance(node.value, (list, dict)):
        yield path
    for index, item in enumerate(node.items):
        yield from containers(item.node, (*path, index))


def at(text: str, path: Tuple[int, ...]) -> Node:
    node = parse(text)
    for index in path:
        node = node.items[index].node
    return node


def rest(value: Any, index: int) -> Any:
    """A list or an object without one of its items."""
    if isinstance(value, dict):
        return {name: each for number, (name, each) in enumerate(value.items()) if number != index}
    return [each for number, each in enumerate(value) if number != index]


@pytest.mark.parametrize("seed", range(20))
def test_any_text_is_the_same_again(seed: int) -> None:
    chance, tried = random.Random(seed), 0
    while tried < 50:
        end = chance.choice(["\n", "\r\n", "\r"])
        text = blanks(chance, end) + any_json(chance, 4, end) + blanks(chance, end)
        places = list(containers(parse(text)))
        if not places:
            continue
        tried += 1
        path = chance.choice(places)
        texts: List[str] = [text]
        for number in range(3):
            container = at(texts[-1], path)
            key = f"new{number}" if isinstance(container.value, dict) else None
            texts.append(appended(texts[-1], container, key, VALUE, end, step_of_indentation(text)))
            now = at(texts[-1], path).value
            assert now == ({**container.value, key: VALUE} if key is not None else [*container.value, VALUE]), texts[-1]
        while len(texts) > 1:
            last = texts.pop()
            container = at(last, path)
            assert without(last, container, len(container.items) - 1) == texts[-1]
        container = at(text, path)
        if container.items:
            index = chance.randrange(len(container.items))
            left = without(text, container, index)
            assert at(left, path).value == rest(container.value, index), (text, left)


def test_the_items_of_a_file_are_looked_at_once_each() -> None:
    text = json.dumps({str(number): [number] for number in range(2000)}, indent=2)
    assert len(parse(text).items) == 2000

"""Are a call's arguments what the tool's schema asks for?

Rules: jsonschema decides, 2.6.0 (draft 4) as well as today's (2020-12); validators are built once; it is imported
only when `ArgumentChecker` is first asked, because that takes a while; a refusal names the offending field and its
expected type and never quotes a value, which may be somebody's file.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional

from .jsonrpc import kind_of
from .tools import Tool

LONGEST_NAME = 64


class ArgumentChecker:
    """Checks arguments against the schemas of a fixed set of tools."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._schemas = {tool.name: tool.input_schema for tool in tools}
        self._validators: Dict[str, Any] = {}

    def prepare(self) -> None:
        """Import jsonschema and build the validators. Takes up to some hundred milliseconds; any thread, once.

        Raises ImportError if jsonschema is missing, jsonschema.SchemaError if a tool's own schema is wrong.
        """
        import jsonschema

        validator_class = getattr(jsonschema, "Draft202012Validator", None) or jsonschema.Draft4Validator
        for name, schema in self._schemas.items():
            validator_class.check_schema(schema)
            self._validators[name] = validator_class(schema)

    def complaint(self, tool_name: str, arguments: Any) -> Optional[str]:
        """None if the arguments are good, else a sentence that names the field."""
        validator = self._validators.get(tool_name)
        if validator is None:
            self.prepare()
            validator = self._validators[tool_name]
        for error in validator.iter_errors(arguments):
            return _sentence(error)
        return None


def _sentence(error: Any) -> str:
    explain = _EXPLANATIONS.get(error.validator)
    where = _field(error.absolute_path)
    if explain is not None:
        return explain(error, where)
    return '{} does not satisfy "{}".'.format(where, error.validator)


def _field(path: Iterable[Any]) -> str:
    parts: List[str] = []
    for part in path:
        parts.append("[{}]".format(part) if isinstance(part, int) else ("." if parts else "") + part[:LONGEST_NAME])
    return 'The argument "{}"'.format("".join(parts)) if parts else "The arguments object"


def _missing(error: Any, where: str) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    inside = "" if not error.absolute_path else " in {}".format(where)
    return 'The argument "{}" is missing{}.'.format(missing[0], inside)


def _unexpected(error: Any, where: str) -> str:
    known = error.schema.get("properties", {})
    extra = sorted(name for name in error.instance if name not in known)
    return 'The argument "{}" is not known.'.format(extra[0][:LONGEST_NAME] if extra else "?")


def _type(error: Any, where: str) -> str:
    wanted = error.validator_value
    names = wanted if isinstance(wanted, list) else [wanted]
    return "{} must be of type {}, not {}.".format(where, " or ".join(names), kind_of(error.instance))


_EXPLANATIONS: Dict[str, Callable[[Any, str], str]] = {
    "required": _missing,
    "additionalProperties": _unexpected,
    "type": _type,
    "minLength": lambda error, where: "{} is too short: at least {} character(s).".format(where, error.validator_value),
    "maxLength": lambda error, where: "{} is too long: at most {} character(s).".format(where, error.validator_value),
    "minItems": lambda error, where: "{} has too few items: at least {}.".format(where, error.validator_value),
    "maxItems": lambda error, where: "{} has too many items: at most {}.".format(where, error.validator_value),
    "enum": lambda error, where: "{} is not one of the allowed values.".format(where),
}

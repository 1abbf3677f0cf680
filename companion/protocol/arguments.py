"""Validates the arguments of calls against the tools' schemas (MCP server/tools, "Calling Tools").

Rules: jsonschema decides, in version 2.6.0 (draft 4) as well as in current ones (2020-12). Only arguments that clearly
match a simple schema skip it, because it takes longer than the rest of a call. Validators are built once, on first use
or by `prepare`. A refusal names the field and the expected type and never quotes a value, which may be file content.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Callable, Dict, Iterable, List, Optional

from .jsonrpc import kind_of
from .tools import Tool

LONGEST_NAME = 64


class ArgumentChecker:
    """Validates arguments against the schemas of a fixed set of tools."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._schemas = {tool.name: tool.input_schema for tool in tools}
        self._plain = {name: _PlainSchema.of(schema) for name, schema in self._schemas.items()}
        self._validators: Dict[str, Any] = {}

    def prepare(self) -> None:
        """Import jsonschema and build the validators. Takes up to a few hundred milliseconds. Any thread, once.

        Raises ImportError if jsonschema is missing, jsonschema.SchemaError if a tool's own schema is wrong.
        """
        import jsonschema

        validator_class = getattr(jsonschema, "Draft202012Validator", None) or jsonschema.Draft4Validator
        for name, schema in self._schemas.items():
            validator_class.check_schema(schema)
            self._validators[name] = validator_class(schema)

    def complaint(self, tool_name: str, arguments: Any) -> Optional[str]:
        """None if the arguments are valid, or else a sentence that names the field."""
        plain = self._plain[tool_name]
        if plain is not None and plain.fits(arguments):
            return None
        validator = self._validators.get(tool_name)
        if validator is None:
            self.prepare()
            validator = self._validators[tool_name]
        for error in validator.iter_errors(arguments):
            return _sentence(error)
        return None


class _PlainSchema:
    """A schema of an object with strings and booleans. It can accept arguments without jsonschema, but never refuse."""

    _TYPES = {"string": str, "boolean": bool}
    _OF_OBJECT = {"type", "properties", "required", "title", "description"}
    _OF_PROPERTY = {"type", "minLength", "title", "description"}

    def __init__(self, required: AbstractSet[str], kinds: Dict[str, type], shortest: Dict[str, int]) -> None:
        self._required = required
        self._kinds = kinds
        self._shortest = shortest

    @classmethod
    def of(cls, schema: Dict[str, Any]) -> Optional[_PlainSchema]:
        """The schema in its simple form, or None if it has any other keyword."""
        if schema.get("type") != "object" or not set(schema) <= cls._OF_OBJECT:
            return None
        kinds: Dict[str, type] = {}
        shortest: Dict[str, int] = {}
        for name, part in schema.get("properties", {}).items():
            kind = cls._TYPES.get(part.get("type")) if isinstance(part.get("type"), str) else None
            if kind is None or not set(part) <= cls._OF_PROPERTY or (kind is not str and "minLength" in part):
                return None
            kinds[name] = kind
            if "minLength" in part:
                shortest[name] = part["minLength"]
        return cls(frozenset(schema.get("required", ())), kinds, shortest)

    def fits(self, arguments: Dict[str, Any]) -> bool:
        """True if the arguments certainly match the schema."""
        if not self._required <= arguments.keys():
            return False
        kinds, shortest = self._kinds, self._shortest
        for name, value in arguments.items():
            if name in kinds and type(value) is not kinds[name]:
                return False
            if name in shortest and len(value) < shortest[name]:
                return False
        return True


def _sentence(error: Any) -> str:
    explain = _EXPLANATIONS.get(error.validator)
    where = _field(error.absolute_path)
    if explain is not None:
        return explain(error, where)
    return f'{where} does not satisfy "{error.validator}".'


def _field(path: Iterable[Any]) -> str:
    parts: List[str] = []
    for part in path:
        parts.append(f"[{part}]" if isinstance(part, int) else ("." if parts else "") + part[:LONGEST_NAME])
    return 'The argument "{}"'.format("".join(parts)) if parts else "The arguments object"


def _missing(error: Any, where: str) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    inside = "" if not error.absolute_path else f" in {where}"
    return f'The argument "{missing[0]}" is missing{inside}.'


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
    "minLength": lambda error, where: f"{where} is too short: at least {error.validator_value} character(s).",
    "maxLength": lambda error, where: f"{where} is too long: at most {error.validator_value} character(s).",
    "minItems": lambda error, where: f"{where} has too few items: at least {error.validator_value}.",
    "maxItems": lambda error, where: f"{where} has too many items: at most {error.validator_value}.",
    "enum": lambda error, where: f"{where} is not one of the allowed values.",
}

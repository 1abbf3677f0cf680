"""Validates the arguments of calls against the tools' schemas (MCP server/tools, "Calling Tools").

Rules: jsonschema decides, in version 2.6.0 (draft 4) as well as in current ones (2020-12). Only arguments that clearly
match a simple schema skip it, because it takes longer than the rest of a call. Validators are built once, on first use
or by `prepare`. A refusal names the field and the expected type and never quotes a value, which may be file content.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Dict, Iterable, Optional

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

        Raises ImportError if jsonschema is missing. That the schemas are right is tested, not checked here.
        """
        import jsonschema

        validator_class = getattr(jsonschema, "Draft202012Validator", None) or jsonschema.Draft4Validator
        for name, schema in self._schemas.items():
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
    """What is wrong, in the words of schemas that our tools have; of others, the word that is not satisfied."""
    names = ".".join(str(part)[:LONGEST_NAME] for part in error.absolute_path)
    where = f'The argument "{names}"' if names else "The arguments object"
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f'The argument "{missing}" is missing{f" in {where}" if names else ""}.'
    if error.validator == "type":
        wanted = error.validator_value
        kinds = " or ".join(wanted if isinstance(wanted, list) else [wanted])
        return f"{where} must be of type {kinds}, not {kind_of(error.instance)}."
    if error.validator == "minLength":
        return f"{where} is too short: at least {error.validator_value} character(s)."
    return f'{where} does not satisfy "{error.validator}".'

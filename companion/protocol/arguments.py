"""Validates the arguments of calls against the tools' schemas (MCP server/tools, "Calling Tools").

Rules: jsonschema decides, in version 2.6.0 (draft 4) as well as in current ones (2020-12). Only arguments that clearly
match a simple schema skip it, because it takes longer than the rest of a call. Validators are built once, on first use
or by `prepare`. A refusal names the field and the expected type and never quotes a value, which may be file content.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Dict, Iterable, NamedTuple, Optional, Tuple

from .jsonrpc import kind_of
from .tools import Tool

LONGEST_NAME = 64


class ArgumentChecker:
    """Validates arguments against the schemas of a fixed set of tools."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._schemas = {tool.name: tool.input_schema for tool in tools}
        self._plain = {name: _plain(schema) for name, schema in self._schemas.items()}
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
        if not self._validators:
            self.prepare()
        for error in self._validators[tool_name].iter_errors(arguments):
            return _sentence(error)
        return None


class _Plain(NamedTuple):
    """What a schema asks of an object with strings and booleans, if it asks nothing else."""

    required: AbstractSet[str]
    properties: Dict[str, Tuple[type, int]]
    """Their types, and the least lengths of strings."""

    def fits(self, arguments: Dict[str, Any]) -> bool:
        """True if the arguments certainly match the schema."""
        if not self.required <= arguments.keys():
            return False
        for name, value in arguments.items():
            kind, least = self.properties.get(name, (None, 0))
            if (kind is not None and type(value) is not kind) or (least and len(value) < least):
                return False
        return True


def _plain(schema: Dict[str, Any]) -> Optional[_Plain]:
    """The schema in its simple form, or None if it has any other keyword."""
    properties: Dict[str, Tuple[type, int]] = {}
    for name, part in schema.get("properties", {}).items():
        if part.get("type") == "string" and part.keys() <= {"type", "minLength", "description"}:
            properties[name] = str, part.get("minLength", 0)
        elif part.get("type") == "boolean" and part.keys() <= {"type", "description"}:
            properties[name] = bool, 0
        else:
            return None
    is_plain = schema.get("type") == "object" and schema.keys() <= {"type", "properties", "required"}
    return _Plain(frozenset(schema.get("required", ())), properties) if is_plain else None


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

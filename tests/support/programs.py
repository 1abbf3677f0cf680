"""The setting `programs` as a user writes it, for tests of what it does."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping

from companion.settings import Settings, read


def with_programs(entries: Mapping[str, Any], settings: Settings = Settings()) -> Settings:
    """The settings with these entries in `programs`, in which nothing is wrong."""
    reading = read([("the settings", {"programs": entries})])
    if reading.complaints:
        raise AssertionError(reading.complaints)
    return dataclasses.replace(settings, programs=reading.settings.programs)


def disabled(*keys: str) -> Settings:
    """Settings in which these agents are disabled."""
    return with_programs({key: {"enabled": False} for key in keys})

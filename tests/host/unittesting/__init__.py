"""The stand-in for UnitTesting inside the host: `from unittesting import DeferrableTestCase`.

It offers the names of the real package and keeps its rules for what a test may `yield`, so that a
test that passes here passes in the editor. Where the real one waits for nothing without a word
(a float is no delay there), the stand-in raises.
"""

from .case import AsyncTestCase, DeferrableMethod, DeferrableTestCase, TestCase, expectedFailure
from .helpers import (
    AsyncViewTestCase,
    DeferrableViewTestCase,
    OverridePreferencesTestCase,
    TempDirectoryTestCase,
    ViewTestCase,
)
from .runner import AWAIT_WORKER

__all__ = [
    "AWAIT_WORKER",
    "AsyncTestCase",
    "AsyncViewTestCase",
    "DeferrableMethod",
    "DeferrableTestCase",
    "DeferrableViewTestCase",
    "OverridePreferencesTestCase",
    "TempDirectoryTestCase",
    "TestCase",
    "ViewTestCase",
    "expectedFailure",
]

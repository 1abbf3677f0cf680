"""The stand-in for UnitTesting inside the host: `from unittesting import DeferrableTestCase`.

It has what the package's tests use of the real one, and keeps its rules for what a test may `yield`, so that a test
that passes here passes in the editor. Where the real one waits for nothing without a word (a float is no delay there),
and for what the stand-in lacks, it raises.
"""

from .case import DeferrableTestCase

__all__ = ["DeferrableTestCase"]

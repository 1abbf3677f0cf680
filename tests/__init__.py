"""The tests of Gemini Companion.

`tests/test_*.py` run inside the editor, by UnitTesting or by the headless host's stand-in for it.
Because of this file they are modules of the package ("Gemini Companion.tests.test_x"), in both:

    from unittesting import DeferrableTestCase          # UnitTesting, or the stand-in
    from ..companion.context.model import ContextModel  # the very module the running plugin uses
    from .support import context_case                   # helpers for in-editor tests: modules of `tests/support`

Where a name is needed as a text, it has the package's folder name, space included:
`importlib.import_module("Gemini Companion.plugin")`.

Everything else here runs outside the editor, with pytest: `unit/` needs no editor, `end_to_end/`
starts the headless host and real clients. Those folders have no `__init__.py`, so UnitTesting does
not look into them. `python3 tests/run.py` runs all of it.
"""

"""The tests of Gemini Companion.

`in_editor/` runs inside the editor, by UnitTesting or by the headless host's stand-in for it. Everything else runs
outside, with pytest: `unit/` and `host/tests/` need no editor, `end_to_end/` starts the headless host and real clients.
Those folders have no `__init__.py`, so UnitTesting does not look into them. `python3 tests/run.py` runs all of it.
"""

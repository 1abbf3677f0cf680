"""Tests that run inside the editor, in folders as those of `companion/`.

Because each folder has an `__init__.py`, they are modules of the package, as
"Gemini Companion.tests.in_editor.review.test_review_hunks", under UnitTesting and under the headless host's stand-in:

    from unittesting import DeferrableTestCase             # UnitTesting, or the stand-in
    from ....companion.context.model import ContextModel   # the very module the running plugin uses
    from ...support.context_case import ContextCase        # what they share: modules of `tests/support`

Where a name is needed as a text, it has the package's folder name, space included:
`importlib.import_module("Gemini Companion.plugin")`.
"""

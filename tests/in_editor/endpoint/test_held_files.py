"""Several files of one call that is held: in the order of the call, or in the user's; one rejection is for all."""

from __future__ import annotations

import os
from typing import Any, Iterator

from ....companion.agents.codex_cli import CODEX_CLI
from .test_hook_gate import BEFORE, GateCase, changed, decision, patch


class TestHeldFiles(GateCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        yield from self.connect(CODEX_CLI)
        self.write(content=BEFORE)

    def test_a_patch_of_several_files_is_decided_file_by_file(self) -> Iterator[Any]:
        self.write("gone.py", "x\n")
        said = patch(
            f"*** Update File: {self.path()}\n@@\n-two\n+2\n",
            f"*** Add File: {self.path('new.py')}\n+new\n",
            f"*** Delete File: {self.path('gone.py')}\n",
        )
        fields = {"tool_name": "apply_patch", "tool_input": {"command": said}}
        process, review = yield from self.hold(CODEX_CLI, **fields)
        names = ["file.py", "new.py", "gone.py"]
        for number, name in enumerate(names, 1):
            review = yield from self.shown(name)
            self.assertEqual([os.path.basename(each.path) for each in self.reviews.pending()], names[number - 1 :])
            self.assertEqual([each.review for each in self.presentations()], [review])
            yield lambda number=number: f"file {number} of 3" in self.header(review)  # noqa: B023
            if name == "new.py":
                yield from self.edit(review, "newer\n")
            if name == "gone.py":
                self.assertIn("Codex CLI deletes this file.", self.header(review))
                self.assertEqual(self.proposal(review).name(), "gone.py \u2190 Codex CLI (deletion)")
            self.reviews.commands.accept(review)
            yield lambda name=name: self.open_review(name) is None
        answer = yield from self.answer(process)
        back = changed(answer)
        self.assertEqual(back["command"], said.replace("+new\n", "+newer\n"))

        process, review = yield from self.hold(CODEX_CLI, **fields)
        self.reviews.commands.reject(review)
        answer = yield from self.answer(process)
        self.assertEqual(decision(answer), "deny")
        yield self.nothing_open

    def test_the_files_of_a_patch_are_decided_as_the_user_goes_to_them(self) -> Iterator[Any]:
        said = patch(
            f"*** Update File: {self.path()}\n@@\n-two\n+2\n",
            *(f"*** Add File: {self.path(name)}\n+new\n" for name in ("x.py", "w.py", "v.py")),
        )
        fields = {"tool_name": "apply_patch", "tool_input": {"command": said}}
        process, review = yield from self.hold(CODEX_CLI, **fields)
        yield lambda: "file 1 of 4" in self.header(review) and "Next: x.py" in self.header(review)
        self.command("next_change")
        for name in ("x.py", "w.py", "v.py", "file.py"):
            yield lambda name=name: self.reviews.open_reviews.in_front() is self.open_review(name)
            review = yield from self.shown(name)
            self.reviews.commands.accept(review)
        answer = yield from self.answer(process)
        self.assertNotEqual(decision(answer), "deny")

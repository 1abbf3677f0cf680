"""The header: one row that says what can be done and how far the user is, with the keys as the user has them."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, Dict, Iterator, List
from unittest import mock

import sublime

from ....companion.editor.key_bindings import KeyBindings, key_names
from ...support.review_case import ReviewTestCase
from ...support.unreviewed_case import ChangesTestCase

ARROWS = "\u2191 \u2193"


def words(markup: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", markup)).split())


class HeaderTestCase(ReviewTestCase):
    def rows(self, review: Any) -> List[str]:
        """The words of each row."""
        body = self.header_html(review).partition("</style>")[2]
        return [words(row) for row in re.findall(r'<div class="(?:bar|note|notice)"[^>]*>(.*?)</div>', body)]

    def keymaps(self, **files: Any) -> None:
        """What the user's files of keys say, from now on."""
        genuine = sublime.load_resource
        platform = {"linux": "Linux", "osx": "OSX", "windows": "Windows"}[sublime.platform()]
        names = {"every": "Default.sublime-keymap", "own": f"Default ({platform}).sublime-keymap"}
        texts = {f"Packages/User/{names[which]}": text for which, text in files.items()}

        def load(name: str) -> str:
            if name.startswith("Packages/User/Default"):
                if name not in texts:
                    raise FileNotFoundError(name)
                text = texts[name]
                return text if isinstance(text, str) else json.dumps(text)
            return genuine(name)

        patcher = mock.patch.object(sublime, "load_resource", load)
        patcher.start()
        self.addCleanup(patcher.stop)


class TestOneRow(HeaderTestCase):
    def test_an_ordinary_change_takes_one_row_beside_sixty_columns(self) -> Iterator[Any]:
        """Each half of the window has 63."""
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        self.assertLess(view.viewport_extent()[0] / view.em_width(), 70)
        (row,) = self.rows(review)
        self.assertRegex(row, rf"^Accept.* Reject.* {ARROWS} 1 of 2 \+2 \u22121")

    def test_what_is_special_stands_below(self) -> Iterator[Any]:
        self.write("file.py")
        view = self.window.open_file(self.path())
        yield lambda: not view.is_loading()
        self.type(view, 0, "# mine\n")
        review = yield from self.open_diff()
        yield lambda: len(self.rows(review)) > 1
        first, *others = self.rows(review)
        self.assertRegex(first, r"^Accept.*\+2 \u22121")
        self.assertIn("file.py has unsaved edits in a tab.", " ".join(others))

    def test_a_file_in_no_workspace_folder_is_said_to_be_there(self) -> Iterator[Any]:
        self.write()
        self.window.set_project_data({"folders": []})
        self.use(review_presentation="inline")
        review = yield from self.open_diff()
        self.assertIn(self.folder, self.header(review).replace(" ", ""))


class TestKeys(HeaderTestCase):
    def bound(self) -> Dict[str, str]:
        return dict(key_names())

    def test_they_are_those_of_the_package(self) -> None:
        self.keymaps()
        on_mac = sublime.platform() == "osx"
        self.assertEqual(self.bound()["accept"], "\u2318S" if on_mac else "Ctrl+S")
        self.assertEqual(self.bound()["reject"], "\u21e7Escape" if on_mac else "Shift+Escape")
        self.assertEqual(self.bound()["next_change"], "F8")

    def test_the_last_word_is_the_users(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        accept = "gemini_companion_accept"
        self.keymaps(
            every=[{"keys": ["alt+a"], "command": accept}],
            own=[{"keys": ["ctrl+k", "ctrl+left_bracket"], "command": accept, "context": [{"key": "any"}]}],
        )
        self.write()
        review = yield from self.open_diff()
        key = "\u2303K, \u2303Left Bracket" if sublime.platform() == "osx" else "Ctrl+K, Ctrl+Left Bracket"
        yield lambda: f"Accept {key}" in self.header(review)
        self.assertIn(f'title="Accept these changes ({key})"', self.header_html(review))

    def test_a_key_that_is_the_users_own_is_not_shown(self) -> None:
        other = {"keys": ["shift+f8"], "command": "other"}
        self.keymaps(own=[other, {**other, "keys": ["f8"], "context": [{"key": "elsewhere"}]}])
        self.assertNotIn("previous_change", self.bound())
        self.assertEqual(self.bound()["next_change"], "F8")

    def test_files_that_say_nothing_are_none(self) -> None:
        self.keymaps(every="[{", own=[1, {"keys": "f8"}, {"keys": [], "command": "x"}, {"keys": ["f8"]}, {"keys": [1]}])
        self.assertEqual(self.bound()["next_change"], "F8")
        self.keymaps(own={"keys": ["f8"]})
        self.assertEqual(self.bound()["next_change"], "F8")

    def test_what_is_known_is_said_at_once_in_the_next_review(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        self.write()
        review = yield from self.open_diff()
        key = key_names()["accept"]
        yield lambda: f"Accept {key}" in self.header(review)
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        with mock.patch.object(KeyBindings, "read"):
            again = yield from self.open_diff()
        yield lambda: f"Accept {key}" in self.header(again)


class TestWrittenChanges(ChangesTestCase):
    def test_they_are_kept_and_undone_under_the_same_keys(self) -> Iterator[Any]:
        review = yield from self.change()
        self.assertRegex(self.header(review), rf"^Keep.* Undo.* {ARROWS} 1 of 2 \+2 \u22122")

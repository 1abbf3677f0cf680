"""Install Agent Hooks… and Remove Agent Hooks…: what the user is shown, and what comes of each answer."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, Dict, Iterator, List, Tuple
from unittest import mock

import sublime

from ....companion.agents.registry import AGENTS
from ....companion.editor.storage import storage_folder
from ....companion.review.document import file_replacement
from ...host.waiting import NEVER_SECONDS
from ...support.review_case import PLUGIN
from ...support.unreviewed_case import ChangesTestCase

CAN_BE_HOOKED = [agent for agent in AGENTS if agent.hooks is not None]
HOMES = ["CLAUDE_CONFIG_DIR", *(agent.home_variable for agent in CAN_BE_HOOKED if agent.home_variable)]
REPLACE = file_replacement.replace_content
SETTINGS = '{\n    // mine\n    "model": "x"\n}\n'


class ConnectTestCase(ChangesTestCase):
    """The home of the user is the test's folder. There are programs in it of the names that are `there`."""

    there: Tuple[str, ...] = ("claude",)

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.home = os.path.join(self.folder, "home")
        programs = os.path.join(self.home, "bin")
        os.makedirs(programs)
        for name in self.there:
            path = os.path.join(programs, name + (".exe" if sys.platform == "win32" else ""))
            with open(path, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n")
            os.chmod(path, 0o700)
        places = {"HOME": self.home, "USERPROFILE": self.home, "PATH": programs, "SHELL": "/bin/sh"}
        patcher = mock.patch.dict(os.environ, {**places, **dict.fromkeys(HOMES, "")})
        patcher.start()
        self.addCleanup(patcher.stop)

    def settings_path(self, *names: str) -> str:
        return os.path.join(self.home, *(names or (".claude", "settings.json")))

    def put(self, content: Any, *names: str) -> str:
        path = self.settings_path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def held(self, *names: str) -> str:
        with open(self.settings_path(*names), "rb") as file:
            return file.read().decode("utf-8")

    def panel_of(self, command: str) -> Iterator[Any]:
        """The arguments of the list that a command shows."""
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.window.run_command("gemini_companion_" + command)
            yield lambda: panel.call_count == 1
        return panel.call_args[0]

    def in_list(self, command: str = "install_hooks") -> Iterator[Any]:
        """What that list says: of each program how things stand."""
        items = (yield from self.panel_of(command))[0]
        return {item.trigger: item.annotation for item in items}

    def pick(self, title: str = "Claude Code", command: str = "install_hooks") -> Iterator[Any]:
        items, picked = (yield from self.panel_of(command))[:2]
        picked([item.trigger for item in items].index(title))

    def shown(self, title: str = "Claude Code", command: str = "install_hooks") -> Iterator[Any]:
        """Choose a program. `yield from` gives the review, once it is drawn."""
        yield from self.pick(title, command)
        open_reviews = self.reviews.open_reviews
        yield lambda: any(review in open_reviews.presentations for review in open_reviews.pending())
        (review,) = open_reviews.pending()
        yield lambda: self.header(review) != ""
        yield self.settled
        self.later(1)
        return review

    def decide(self, title: str, command: str, answer: str = "accept") -> Iterator[Any]:
        review = yield from self.shown(title, command)
        self.window.run_command("gemini_companion_" + answer)
        yield lambda: not self.reviews.open_reviews.all()
        return review

    def connect(self, title: str = "Claude Code") -> Iterator[Any]:
        yield from self.decide(title, "install_hooks")

    def disconnect(self, title: str = "Claude Code") -> Iterator[Any]:
        yield from self.decide(title, "remove_hooks")

    def hooks(self, *names: str) -> Dict[str, List[Any]]:
        """Those of a file that is JSON."""
        return json.loads(self.held(*names))["hooks"]

    def everything(self) -> List[str]:
        """All settings below the home, where the window's discovery files are as well."""
        found = [os.path.join(folder, name) for folder, _, names in os.walk(self.home) for name in names]
        paths = [os.path.relpath(path, self.home) for path in found]
        return sorted(path for path in paths if path.endswith(".json"))

    def hook_file(self, key: str = "claude") -> str:
        return os.path.join(storage_folder(), "hooks", key + ".conf")


class Choosing(ConnectTestCase):
    there = tuple(agent.program for agent in CAN_BE_HOOKED)

    def test_the_programs_found_are_listed_with_how_things_stand(self) -> Iterator[Any]:
        self.put('{"hooks": {"Stop": [1]}}', ".codex", "hooks.json")
        self.put("no JSON", ".qwen", "settings.json")
        yield from self.connect()
        listed = yield from self.in_list()
        self.assertEqual(
            listed,
            {
                **{agent.title: "not hooked" for agent in CAN_BE_HOOKED},
                "Qwen Code": "its settings cannot be understood",
                "Claude Code": "hooked",
            },
        )
        path = self.settings_path()
        self.put(self.held().replace('"timeout": 5', '"timeout": 50', 1))
        listed = yield from self.in_list()
        self.assertEqual(listed["Claude Code"], "changed by somebody else")
        listed = yield from self.in_list("remove_hooks")
        self.assertEqual(listed, {"Claude Code": "changed by somebody else"})
        os.unlink(path)

    def test_every_program_is_connected_and_disconnected_without_a_trace(self) -> Iterator[Any]:
        for title in (agent.title for agent in CAN_BE_HOOKED):
            yield from self.connect(title)
            listed = yield from self.in_list()
            self.assertEqual(listed[title], "hooked")
            self.assertTrue(self.says(f"{title} is hooked"))
            yield from self.disconnect(title)
            self.assertTrue(self.says(f"{title} is no longer hooked"))
            self.assertEqual(self.everything(), [])

    def test_who_sees_a_change_when_is_said_and_what_codex_asks(self) -> Iterator[Any]:
        for title, sentence in (
            ("Claude Code", "Claude Code sees this at once, in running sessions, too."),
            ("Qwen Code", "Qwen Code sees this when it is started next."),
            ("Codex CLI", "It runs no hook that you have not trusted: press 2 if it asks"),
        ):
            review = yield from self.shown(title)
            self.assertIn(sentence, self.header(review))
            self.window.run_command("gemini_companion_reject")
            yield lambda: not self.reviews.open_reviews.all()

    def test_what_else_is_made_is_said(self) -> Iterator[Any]:
        review = yield from self.shown("Gemini CLI")
        manifest = self.settings_path(".gemini", "extensions", "gemini-companion", "gemini-extension.json")
        self.assertIn(manifest, self.header(review).replace(" ", "").replace("asu200b", ""))
        self.window.run_command("gemini_companion_accept")
        yield lambda: os.path.exists(manifest)


class OneProgram(ConnectTestCase):
    def test_it_is_listed_all_the_same(self) -> Iterator[Any]:
        listed = yield from self.in_list()
        self.assertEqual(listed, {"Claude Code": "not hooked"})

    def test_with_nothing_to_disconnect_the_user_is_told(self) -> Iterator[Any]:
        self.window.run_command("gemini_companion_remove_hooks")
        yield lambda: self.says("no agent is hooked")

    def test_nothing_is_written_before_it_is_accepted(self) -> Iterator[Any]:
        path = self.put(SETTINGS)
        review = yield from self.shown()
        self.assertEqual(self.held(), SETTINGS)
        self.assertEqual(self.everything(), [os.path.join(".claude", "settings.json")])
        self.assertEqual(self.text(self.original(review)), SETTINGS)
        text = self.text(self.proposal(review))
        self.assertTrue(text.startswith('{\n    // mine\n    "model": "x",\n    "hooks": {\n        "'))
        self.assertIn(self.hook_file(), text)
        self.assertTrue(self.proposal(review).is_read_only())
        self.assertEqual(
            self.titles()[1], ["settings.json \u2190 Gemini Companion (with hooks)"], "of two groups, as for any diff"
        )
        self.assertEqual(self.links(review, "revert"), [])
        self.window.run_command("gemini_companion_accept")
        yield lambda: self.held() == text
        yield lambda: not self.reviews.open_reviews.all()
        self.assertTrue(os.path.exists(self.hook_file()))
        self.assertEqual(review.path, path)

    def test_a_rejected_review_writes_nothing_and_gives_the_window_back(self) -> Iterator[Any]:
        self.put(SETTINGS)
        before = self.picture()
        for answer in ("reject", "close"):
            review = yield from self.shown()
            if answer == "close":
                self.proposal(review).close()
            else:
                self.window.run_command("gemini_companion_" + answer)
            yield lambda: not self.reviews.open_reviews.all() and self.picture() == before
            self.assertEqual(self.held(), SETTINGS)

    def test_what_was_there_comes_back(self) -> Iterator[Any]:
        for text in (SETTINGS, SETTINGS.replace("\n", "\r\n"), "{}", '{"hooks":{"Stop":[]}, }', "\ufeff" + SETTINGS):
            self.put(text)
            yield from self.connect()
            self.assertNotEqual(self.held(), text)
            yield from self.disconnect()
            self.assertEqual(self.held(), text)

    def test_what_is_connected_is_not_reviewed_again(self) -> Iterator[Any]:
        yield from self.connect()
        os.unlink(self.hook_file())
        yield from self.pick()
        yield lambda: self.says("Claude Code is hooked already")
        yield lambda: os.path.exists(self.hook_file())
        self.assertEqual(self.reviews.open_reviews.all(), [])

    def test_a_file_that_has_changed_meanwhile_is_shown_anew(self) -> Iterator[Any]:
        self.put(SETTINGS)
        review = yield from self.shown()
        self.put(SETTINGS.replace("x", "y"))
        self.window.run_command("gemini_companion_accept")
        yield lambda: "has changed on disk" in self.header(review)
        self.assertEqual(self.held(), SETTINGS.replace("x", "y"))
        yield lambda: '"model": "y"' in self.text(self.original(review))
        yield self.settled
        self.later(1)
        text = self.text(self.proposal(review))
        self.assertIn('"model": "y"', text)
        self.window.run_command("gemini_companion_accept")
        yield lambda: self.held() == text

    def test_a_file_that_is_not_understood_any_more_ends_the_review(self) -> Iterator[Any]:
        self.put(SETTINGS)
        yield from self.shown()
        self.put("no JSON any more")
        self.window.run_command("gemini_companion_accept")
        yield lambda: not self.reviews.open_reviews.all()
        self.assertTrue(self.says("settings.json is left as it is: line 1 is no JSON"))
        self.assertEqual(self.held(), "no JSON any more")

    def test_a_file_that_cannot_be_written_is_complained_of(self) -> Iterator[Any]:
        self.put(SETTINGS)
        review = yield from self.shown()
        denied = mock.patch.object(file_replacement, "replace_content", side_effect=PermissionError(13, "denied"))
        with denied:  # to a superuser no file is read-only
            self.window.run_command("gemini_companion_accept")
            yield lambda: "settings.json cannot be written: denied." in self.header(review)
        self.assertEqual(self.held(), SETTINGS)
        self.assertTrue(review.pending)
        self.window.run_command("gemini_companion_accept")
        yield lambda: not self.reviews.open_reviews.all()
        self.assertNotEqual(self.held(), SETTINGS)

    def hold_write(self, fails: bool) -> threading.Event:
        """Let the next write wait for the event, and then fail if it is to."""
        release = threading.Event()

        def held(*arguments: Any) -> None:
            release.wait(NEVER_SECONDS)
            if fails:
                raise PermissionError(13, "denied")
            REPLACE(*arguments)

        patcher = mock.patch.object(file_replacement, "replace_content", held)
        patcher.start()
        self.addCleanup(patcher.stop)
        self.addCleanup(release.set)
        return release

    def test_a_tab_that_is_closed_while_it_is_written_stays_closed(self) -> Iterator[Any]:
        for fails, sentence in ((True, "settings.json cannot be written: denied."), (False, "is hooked")):
            self.put(SETTINGS)
            review = yield from self.shown()
            release = self.hold_write(fails)
            self.window.run_command("gemini_companion_accept")
            yield lambda review=review: not review.pending
            self.proposal(review).close()
            yield lambda: not self.reviews.shown
            self.assertFalse(self.says(sentence))
            release.set()
            yield lambda sentence=sentence: self.says(sentence)
            self.assertEqual(self.held() == SETTINGS, fails)
            self.assertEqual(self.reviews.open_reviews.all(), [])
            self.assertFalse(review.pending)

    def test_a_window_that_is_closed_while_it_is_written_is_not_missed(self) -> Iterator[Any]:
        self.put(SETTINGS)
        other = yield from self.another_window()
        other.bring_to_front()
        yield lambda: sublime.active_window() == other
        review = yield from self.shown()
        release = self.hold_write(False)
        self.window.bring_to_front()
        self.window.run_command("gemini_companion_accept")
        yield lambda: not review.pending
        self.window.run_command("close_window")
        yield lambda: not self.window.is_valid()
        release.set()
        yield lambda: self.held() != SETTINGS

    def test_a_link_stays_a_link(self) -> Iterator[Any]:
        target = self.write("dotfiles.json", SETTINGS)
        os.makedirs(os.path.dirname(self.settings_path()))
        try:
            os.symlink(target, self.settings_path())
        except OSError as error:
            self.skipTest(f"links cannot be made here: {error}")
        yield from self.connect()
        self.assertEqual(os.readlink(self.settings_path()), target)
        self.assertIn(b"PreToolUse", self.read("dotfiles.json"))
        yield from self.disconnect()
        self.assertEqual(os.readlink(self.settings_path()), target)
        self.assertEqual(self.read("dotfiles.json"), SETTINGS.encode("utf-8"))

    def test_unsaved_edits_of_the_file_are_not_written_over(self) -> Iterator[Any]:
        view = self.window.open_file(self.put(SETTINGS))
        yield lambda: not view.is_loading()
        self.type(view, 0, "// more\n")
        review = yield from self.shown()
        self.window.run_command("gemini_companion_accept")
        yield lambda: "has unsaved edits in a tab" in self.header(review)
        yield lambda: review.pending
        self.assertEqual(self.held(), SETTINGS)
        self.assertTrue(view.is_dirty())

    def test_what_is_not_understood_is_put_into_a_tab(self) -> Iterator[Any]:
        self.put("{'single': 1}")
        yield from self.pick()
        yield lambda: any(view.name() == "Hooks for Claude Code" for view in self.window.views())
        (view,) = [view for view in self.window.views() if view.name() == "Hooks for Claude Code"]
        text = self.text(view)
        comments = [line for line in text.split("\n") if line.startswith("// ")]
        self.assertIn("settings.json is left as it is: line 1 is no JSON.", comments[0])
        self.assertIn(self.settings_path(), comments[1])
        self.assertIn("PreToolUse", json.loads("\n".join(text.split("\n")[len(comments) :]))["hooks"])
        self.assertEqual(self.held(), "{'single': 1}")
        self.assertTrue(self.says("settings.json is left as it is"))
        self.assertEqual(self.reviews.open_reviews.all(), [])
        yield lambda: os.path.exists(self.hook_file())

    def test_chosen_again_it_is_reviewed_once(self) -> Iterator[Any]:
        first = yield from self.shown()
        yield from self.pick()
        yield lambda: not first.pending
        yield lambda: len(self.reviews.shown) == 1
        self.assertNotIn(first, self.reviews.shown)

    def test_hunks_are_not_decided_by_themselves(self) -> Iterator[Any]:
        self.put(SETTINGS)
        review = yield from self.shown()
        for command in ("revert_hunk", "accept_hunk"):
            self.said.clear()
            self.window.run_command("gemini_companion_" + command)
            self.assertTrue(self.says("only be accepted or rejected as a whole"), command)
        self.assertTrue(review.pending)
        captions = [getattr(sys.modules[PLUGIN], name)(self.window).description() for name in COMMANDS]
        self.assertEqual(captions, ["Accept", "Reject"])

    def test_another_window_may_have_been_quicker(self) -> Iterator[Any]:
        review = yield from self.shown()
        self.put(self.text(self.proposal(review)))
        self.window.run_command("gemini_companion_accept")
        yield lambda: not self.reviews.open_reviews.all()
        self.assertTrue(self.says("Claude Code is hooked already"))

    def test_the_write_is_no_unreviewed_change(self) -> Iterator[Any]:
        self.put(SETTINGS)
        yield from self.track()
        yield from self.connect()
        self.write("theirs.py", "new\n")
        self.tracking.sign()
        yield lambda: "theirs.py" in self.names()  # found by a look that was later
        self.assertEqual([name for name in self.names() if name.endswith("settings.json")], [])

    def test_hooks_are_answered_until_the_program_is_disconnected(self) -> Iterator[Any]:
        yield from self.connect()
        with open(self.hook_file(), encoding="utf-8") as file:
            self.assertIn("http://127.0.0.1:", file.read())
        yield from self.disconnect()
        with open(self.hook_file(), encoding="utf-8") as file:
            self.assertNotIn("http://", file.read())

    def test_a_removal_is_reviewed_and_says_so(self) -> Iterator[Any]:
        yield from self.connect()
        review = yield from self.shown(command="remove_hooks")
        self.assertIn("Accept removes settings.json: nothing else stands in it.", self.header(review))
        self.window.run_command("gemini_companion_accept")
        yield lambda: not os.path.exists(self.settings_path())

    def test_it_can_be_read_and_decided_on_the_page(self) -> Iterator[Any]:
        self.put(SETTINGS)
        yield from self.shown()
        self.window.run_command("gemini_companion_review_changes")
        yield lambda: any('+    "hooks": {' in self.text(view) for view in self.window.views())
        self.window.run_command("gemini_companion_act_on_page", {"act": "keep_file"})
        yield lambda: os.path.exists(self.hook_file())


COMMANDS = ("GeminiCompanionAcceptCommand", "GeminiCompanionRejectCommand")


def row(item: sublime.QuickPanelItem) -> Tuple[str, str, str]:
    return item.trigger, item.details if isinstance(item.details, str) else item.details[0], item.annotation


class NoProgram(ConnectTestCase):
    there = ()

    def test_those_that_are_known_are_named_with_how_to_install_one(self) -> Iterator[Any]:
        items, picked = (yield from self.panel_of("install_hooks"))[:2]
        self.assertTrue(self.says("none of the agents that can be hooked was found"))
        self.assertIn(("Codex CLI", "npm install -g @openai/codex", "not found"), list(map(row, items)))
        picked([item.trigger for item in items].index("Codex CLI"))
        self.assertTrue(self.says("Codex CLI is not installed"))
        self.assertEqual(self.window.active_panel(), "output.gemini_companion_install")
        self.window.run_command("hide_panel")

    def test_what_is_connected_can_be_disconnected(self) -> Iterator[Any]:
        self.put(
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "curl -K \'%s\'"}]}]}}' % self.hook_file()
        )
        listed = yield from self.in_list("remove_hooks")
        self.assertEqual(listed, {"Claude Code": "changed by somebody else"})
        yield from self.disconnect()
        self.assertEqual(json.loads(self.held()), {"hooks": {"Stop": []}})

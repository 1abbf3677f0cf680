"""Who has the socket at which programs ask: one editor of a user, and no other one's is touched."""

from __future__ import annotations

import os
import socket
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has named pipes instead", allow_module_level=True)

from companion.agents.codex_cli import CODEX_CLI
from companion.endpoint.context_answers import Holding
from companion.transport import framed_socket
from tests.host.waiting import a_moment
from tests.unit.endpoint.answering_editors import Editor, Window, answer, asynchronous, home, request

__all__ = ["home"]


def test_the_first_place_is_in_the_programs_own_folder(home):
    """Measured: with the variable the program asks there alone."""
    editor = Editor(home)
    first, second = CODEX_CLI.shared_sockets(editor.platform)
    moved = editor.platform._replace(environment={**editor.platform.environment, "CODEX_HOME": "/opt/codex"})
    assert first.place.root == os.path.join(home, ".codex")
    assert first.name == "ipc.sock"
    assert [each.place.root for each in CODEX_CLI.shared_sockets(moved)] == ["/opt/codex", second.place.root]


class TestTheSocket:
    @asynchronous
    async def test_both_places_are_taken_and_given_back(self, home):
        editor = Editor(home, Window("/code/app"))
        await editor.until(Holding.HELD)
        for path in editor.paths:
            assert [os.lstat(each).st_mode & 0o777 for each in (os.path.dirname(path), path)] == [0o700, 0o600]
            assert (await answer(path, request("/code/app")))["resultType"] == "success"
        assert await editor.answers.tried() == ", ".join(editor.paths)
        editor.answers.withdraw()
        assert [path for path in editor.paths if os.path.exists(path)] == [], "gone at once"
        await editor.close()

    @pytest.mark.parametrize("which", [0, 1])
    @asynchronous
    async def test_while_another_editor_has_one_of_them_neither_is_taken(self, home, which):
        editor = Editor(home, Window("/code/app"))
        os.makedirs(os.path.dirname(editor.paths[which]), 0o700)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(editor.paths[which])
            other.listen(5)
            await editor.until(Holding.STANDBY)
            assert not os.path.exists(editor.paths[1 - which])
            await editor.later(Holding.STANDBY)
        await editor.later(Holding.HELD)
        await editor.close()

    @asynchronous
    async def test_of_two_editors_the_second_answers_once_the_first_has_ended(self, home):
        first, second = Editor(home, Window("/a")), Editor(home, Window("/b"))
        await first.until(Holding.HELD)
        await second.until(Holding.STANDBY)
        assert second.windows[0].world.names() == []
        assert os.path.exists(first.paths[0])
        await second.close()
        assert os.path.exists(first.paths[0]), "it is not the second one's to remove"
        third = Editor(home, Window("/b"))
        await third.until(Holding.STANDBY)
        await first.close()
        await third.later(Holding.HELD)
        assert (await answer(third.paths[0], request("/b")))["resultType"] == "success"
        await third.close()

    @asynchronous
    async def test_it_is_looked_for_no_more_than_once_in_ten_seconds_however_many_windows_open(self, home, monkeypatch):
        editor = Editor(home, Window("/a"))
        searches = []
        search = editor.answers._search

        def counted():
            searches.append(1)
            return search()

        monkeypatch.setattr(editor.answers, "_search", counted)
        monkeypatch.setattr(framed_socket, "claim", lambda path: None)
        await editor.until(Holding.STANDBY)
        for _ in range(30):
            editor.answers.check()
            while editor.answers.holding is Holding.LOOKING:
                await a_moment()
        assert len(searches) == 1
        await editor.later(Holding.STANDBY)
        assert len(searches) == 2

    @asynchronous
    async def test_a_folder_that_others_may_write_to_is_refused_and_said(self, home):
        editor = Editor(home, Window("/a"))
        os.makedirs(os.path.dirname(editor.paths[0]))
        os.chmod(os.path.dirname(editor.paths[0]), 0o777)  # noqa: S103
        await editor.until(Holding.REFUSED)
        assert "others can write" in editor.answers.problem
        assert not os.path.exists(editor.paths[0])
        os.chmod(os.path.dirname(editor.paths[0]), 0o700)
        await editor.later(Holding.HELD)
        await editor.close()

    @asynchronous
    async def test_a_folder_that_is_a_link_is_refused(self, home):
        editor = Editor(home, Window("/a"))
        os.mkdir(os.path.join(home, ".codex"))
        os.symlink(home, os.path.dirname(editor.paths[0]))
        await editor.until(Holding.REFUSED)
        assert "is a link" in editor.answers.problem
        assert not os.path.exists(os.path.join(home, "ipc.sock"))

    @pytest.mark.parametrize("in_the_way", ["a folder of others", "a file"])
    @asynchronous
    async def test_without_the_older_place_the_first_one_is_served(self, home, in_the_way):
        """All users of a machine may share the directory of the older one: whoever comes first has it."""
        editor = Editor(home, Window("/a"))
        os.mkdir(os.path.dirname(editor.paths[1]), 0o700)
        if in_the_way == "a file":
            open(editor.paths[1], "w").close()
        else:
            os.chmod(os.path.dirname(editor.paths[1]), 0o777)  # noqa: S103
        await editor.until(Holding.HELD)
        assert (await answer(editor.paths[0], request("/a")))["resultType"] == "success"
        assert await editor.answers.tried() == editor.paths[0]
        await editor.close()
        assert not os.path.exists(editor.paths[0])

    @asynchronous
    async def test_nobody_wants_it_while_it_is_switched_off_everywhere(self, home):
        editor = Editor(home, Window("/a", wanted=False), Window("/b"))
        await editor.until(Holding.HELD)
        editor.windows[1].wanted = False
        await editor.until(Holding.OFF)
        assert not os.path.exists(editor.paths[0])
        editor.windows[0].wanted = True
        await editor.until(Holding.HELD)
        await editor.close()

    @asynchronous
    async def test_one_that_a_cleaner_has_removed_is_made_again(self, home):
        editor = Editor(home, Window("/a"))
        await editor.until(Holding.HELD)
        os.unlink(editor.paths[1])
        await editor.later(Holding.HELD)
        assert os.path.exists(editor.paths[1])
        await editor.close()

    @asynchronous
    async def test_an_end_in_the_midst_of_the_search_leaves_nothing(self, home):
        editor = Editor(home, Window("/a"))
        editor.answers.check()
        editor.answers.withdraw()
        while editor.answers.holding is not Holding.OFF:
            await a_moment()
        while editor.answers._runtime.tasks:
            await a_moment()
        assert [path for path in editor.paths if os.path.exists(path)] == []

"""What a program that is about to write is answered, of files on a disk and of reviews that are decided at once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.hooks import Happening
from companion.agents.qwen_code import QWEN_CODE
from companion.agents.registry import AGENTS
from companion.endpoint import hook_gate
from companion.endpoint.agent_row import HookedAgent
from companion.endpoint.held_call import NOT_UNDERSTOOD, REJECTED, TAKEN_BACK, UNDECIDED, owner_of
from companion.endpoint.hook_gate import NOT_IN_TIME
from companion.endpoint.hook_sessions import HookSession
from companion.review.decision import Owner, Ticket
from tests.host.waiting import a_moment, comes_true
from tests.support.programs import disabled
from tests.unit.endpoint.answering_editors import asynchronous
from tests.unit.endpoint.hooked_world import (
    Asked,
    Reviews,
    Window,
    accept,
    accept_as,
    add,
    decision,
    edit,
    reason,
    reject,
    withdraw,
)

OURS, ANOTHER = 4711, 4712


@asynchronous
async def test_what_is_accepted_may_be_written_and_nothing_else(folder):
    reviews = Reviews(accept)
    asked = Asked(CLAUDE_CODE, Window(folder, reviews))
    answer = await asked.write("new\n")
    assert reviews.shown == [("file.py", "new\n")]
    assert (decision(answer), answer.may_run) == ("allow", True)
    assert "updatedInput" not in answer.told["hookSpecificOutput"]
    reviews.decides = edit
    answer = await asked.write("new\n")
    assert answer.told["hookSpecificOutput"]["updatedInput"]["content"] == "mine\n"


@asynchronous
async def test_what_is_rejected_or_taken_back_is_refused_and_not_run(folder):
    asked = Asked(CLAUDE_CODE, Window(folder, Reviews(reject)))
    answer = await asked.write("new\n")
    assert (decision(answer), reason(answer), answer.may_run) == ("deny", f"{REJECTED}.", False)
    asked.window.reviews.decides = lambda path, text, ticket: ticket.refuse("too long")
    answer = await asked.write("new\n")
    assert (decision(answer), reason(answer)) == ("deny", f"{REJECTED}: too long")
    asked.window.reviews.decides = accept_as("one\ntwo\n")
    answer = await asked.write("new\n")
    assert (decision(answer), reason(answer), answer.may_run) == ("deny", TAKEN_BACK, False)
    qwen = Asked(QWEN_CODE, asked.window)  # which takes no other text, and would write its own
    answer = await qwen.write("new\n", tool="write_file")
    assert (decision(answer), reason(answer), answer.may_run) == ("deny", TAKEN_BACK, False)


@pytest.mark.parametrize(
    ("agent", "tool", "answered"), [(CLAUDE_CODE, "Write", ("ask", True)), (CODEX_CLI, "apply_patch", ("deny", False))]
)
@asynchronous
async def test_what_is_withdrawn_is_asked_or_refused_by_who_cannot_ask(agent, tool, answered, folder):
    asked = Asked(agent, Window(folder, Reviews(withdraw)))
    patch = "*** Begin Patch\n*** Add File: new.py\n+new\n*** End Patch\n"
    path = str(folder / "file.py")
    answer = await asked.tell("PreToolUse", tool, {"command": patch, "file_path": path, "content": "new\n"})
    assert (decision(answer), answer.may_run) == answered
    assert answered[1] is (reason(answer) != UNDECIDED)


@pytest.mark.parametrize(
    ("agent", "tool", "answered"), [(CLAUDE_CODE, "Write", "deny"), (QWEN_CODE, "write_file", "ask")]
)
@asynchronous
async def test_when_its_time_is_over_nobody_has_answered(agent, tool, answered, folder, clock, monkeypatch):
    monkeypatch.setattr(type(agent.hooks), "way", lambda *_: hook_gate.Way.WAITS)
    asked = Asked(agent, Window(folder))
    task = asyncio.ensure_future(asked.write("new\n", tool=tool))
    await comes_true(lambda: asked.window.reviews.shown)
    clock.advance(agent.hooks.patience_seconds - 1)
    await a_moment()
    assert not task.done()
    clock.advance(1)
    answer = await task
    assert decision(answer) == answered
    if answered == "deny":
        assert (reason(answer), answer.may_run) == (NOT_IN_TIME, False)
    assert asked.gate._held == []


@asynchronous
async def test_who_is_held_asks_when_the_window_goes_its_turn_ends_or_the_package_does(folder):
    async def held(asked):
        task = asyncio.ensure_future(asked.write("new\n"))
        while not asked.window.reviews.shown:
            await a_moment()
        return task

    def leave(asked):
        asked.window.announced = ()
        asked.gate.release_outside()

    def disable(asked):
        asked.window.settings = lambda: disabled("claude")
        asked.gate.release_outside()

    def close(asked):
        asked.windows.clear()
        asked.gate.release_outside()

    for end, runs in (
        (leave, True),
        (disable, True),
        (close, True),
        (lambda asked: asked.gate.end(), False),
        (lambda asked: asked.gate.session_ended(asked.session), False),
    ):
        asked = Asked(CLAUDE_CODE, Window(folder))
        task = await held(asked)
        asked.gate.release_outside()
        asked.gate.session_ended(HookSession(CLAUDE_CODE, "another", asked.window))
        await a_moment()
        assert not task.done()
        end(asked)
        answer = await task
        assert (decision(answer), answer.may_run, asked.gate._held) == ("ask", runs, [])
        assert asked.window.reviews.taken == ["1 0"]
        assert not asked.window.reviews.ticket.waiting, "though it may not be shown yet"
    asked = Asked(CLAUDE_CODE, Window(folder))
    task = await held(asked)
    await asked.tell("PostToolUse", "Bash", {"command": "make"})
    assert not task.done()
    await asked.tell("UserPromptSubmit", prompt="go")
    answer = await task
    assert (decision(answer), answer.may_run) == ("ask", False)


@asynchronous
async def test_a_subagent_that_is_held_waits_though_its_agent_ends_its_part(folder):
    asked = Asked(CLAUDE_CODE, Window(folder))
    task = asyncio.ensure_future(asked.write("new\n", agent_id="1"))
    while not asked.window.reviews.shown:
        await a_moment()
    asked.session.turn.subagents = {"1"}
    for event in ({"name": "Stop"}, {"name": "SubagentStop", "agent_id": "2"}):
        await asked.tell(**event)
        await a_moment()
        assert not task.done()
        assert asked.window.reviews.over == []
    await asked.tell("SubagentStop", agent_id="1")
    assert decision(await task) == "ask"


@asynchronous
async def test_a_file_in_a_folder_that_leaves_the_window_is_not_held_though_its_program_works_in_another(
    folder, tmp_path
):
    other = tmp_path / "other"
    other.mkdir()
    asked = Asked(CLAUDE_CODE, Window(folder))
    asked.window.announced = (str(folder), str(other))
    task = asyncio.ensure_future(asked.write("new\n", path=str(other / "a.py")))
    await comes_true(lambda: asked.window.reviews.shown)
    asked.window.announced = (str(folder),)
    asked.gate.release_outside()
    assert decision(await task) == "ask"


@asynchronous
async def test_what_is_refused_because_it_cannot_be_asked_does_not_run(folder):
    asked = Asked(CODEX_CLI, Window(folder))
    task = asyncio.ensure_future(asked.tell("PreToolUse", "apply_patch", add("a.py")))
    while not asked.window.reviews.shown:
        await a_moment()
    asked.window.announced = ()
    asked.gate.release_outside()
    answer = await task
    assert (decision(answer), reason(answer), answer.may_run) == ("deny", UNDECIDED, False)


@asynchronous
async def test_that_a_program_may_have_gone_on_is_said_while_it_waits(folder, later):
    asked = Asked(CODEX_CLI, Window(folder))
    task = asyncio.ensure_future(asked.tell("PreToolUse", "apply_patch", add("a.py", "b.py")))
    await comes_true(lambda: asked.window.reviews.shown)
    later(CODEX_CLI.hooks.may_be_gone_after_seconds)
    sentence = CODEX_CLI.hooks.may_be_gone.format("Codex CLI")
    reviews = asked.window.reviews
    for number, name in enumerate(("a.py", "b.py")):
        # Whether the diff was open by then or not.
        await comes_true(lambda number=number: len(reviews.shown) > number and reviews.ticket.notes[-1:] == (sentence,))
        assert reviews.shown[number] == (name, "new\n")
        if number == 0:
            accept(str(folder / name), "new\n", reviews.ticket)
    asked.gate.end()
    await task


@asynchronous
async def test_it_goes_its_own_way_where_nothing_is_to_be_reviewed(folder, tmp_path):
    outside = str(tmp_path / "outside.py")
    window = Window(folder, skip=("*.md", "code/*.txt"))
    asked = Asked(CLAUDE_CODE, window)
    for path in (outside, "notes.md", "src/deep/notes.md"):
        assert (await asked.write("new\n", path=path)).told == {}
    assert (await asked.tell("PreToolUse", "Bash", {"command": "make"})).told == {}
    assert (await asked.write("new\n", permission_mode="plan")).told == {}
    patch = {"command": f"*** Begin Patch\n*** Add File: notes.md\n+x\n*** Delete File: {outside}\n*** End Patch\n"}
    assert (await Asked(CODEX_CLI, window).tell("PreToolUse", "apply_patch", patch)).told == {}
    window.reviews_every_write = False
    assert (await asked.write("new\n")).told == {}
    assert window.reviews.shown == []
    window.reviews_every_write = True
    asked.gate.end()
    assert (await asked.write("new\n")).told == {}


NOT_UNDERSTOOD_ANYWHERE = [
    {},
    {"file_path": 7, "path": 7, "patch": 7, "command": 7, "notebook_path": 7},
    {"file_path": "file.py", "path": "file.py"},
    {"file_path": "", "path": "", "content": "x", "file_text": "x"},
    {"file_path": "/elsewhere/\0", "path": "/elsewhere/\0", "content": "x", "file_text": "x"},
    {"file_path": "~/x", "path": "~/x", "content": "x", "file_text": "x"},
    {"file_path": "notes.md ", "path": "notes.md ", "content": "x", "file_text": "x"},
    {"file_path": "file.py", "path": "file.py", "content": ["x"], "file_text": None, "edits": "x"},
    {"file_path": "file.py", "path": "file.py", "edits": [], "old_string": "one", "new_string": 1, "old_str": "one"},
    {"file_path": "file.py", "path": "file.py", "old_string": "not there", "new_string": "", "old_str": "not there"},
    {"file_path": "file.py", "path": "file.py", "edits": [{"old_string": "not there", "new_string": ""}]},
    *(
        {"patch": said, "command": said}
        for said in (
            "x",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n*** Update File: file.py\n@@\n-not there\n*** End Patch\n",
            "*** Begin Patch\n*** Delete File: notes.md\n*** End Patch\nand more",
            "*** Begin Patch\n*** Environment ID: a\n*** Add File: notes.md\n+x\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: file.py\n-one\n*** Update File: file.py\n-two\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: file.py\n*** Move to: file.py\n-one\n*** End Patch\n",
            "*** Begin Patch\n*** Delete File: not there\n*** End Patch\n",
        )
    ),
]


@pytest.mark.parametrize("arguments", [*NOT_UNDERSTOOD_ANYWHERE, None, "x", [1]])
@pytest.mark.parametrize("agent", [each for each in AGENTS if each.hooks is not None], ids=lambda agent: agent.key)
@asynchronous
async def test_nothing_is_the_answer_only_to_what_was_understood(agent, arguments, folder):
    """Of what is not understood nobody knows what it writes: the program asks, or it is refused."""
    hooks, window = agent.hooks, Window(folder, skip=("*.md",))
    event = next(name for name, happening in hooks.events.items() if happening is Happening.TOOL_BEGINS)
    for tool in hooks.writes.tools:
        names = {hooks.session_names[0]: "s", hooks.tool_names[0]: tool, hooks.arguments_names[0]: arguments}
        read = hooks.read({"cwd": str(folder), "permission_mode": "auto", **names}, event)
        answer = await Asked(agent, window).gate.answer(HookSession(agent, "s", window), read)
        assert decision(answer) == ("ask" if hooks.can_ask else "deny"), tool
        assert hooks.can_ask or (reason(answer) == NOT_UNDERSTOOD and not answer.may_run)
    assert window.reviews.shown == []


@asynchronous
async def test_what_cannot_be_shown_the_program_asks_for(folder):
    (folder / "file.py").write_bytes(b"\xff\xfe\x00")
    asked = Asked(CLAUDE_CODE, Window(folder))
    assert decision(await asked.write("new\n")) == "ask"
    cell = {"notebook_path": str(folder / "a.ipynb"), "cell_id": "1", "new_source": "2"}
    assert decision(await asked.tell("PreToolUse", "NotebookEdit", cell)) == "ask"
    qwen = Asked(QWEN_CODE, asked.window)
    assert decision(await qwen.tell("PreToolUse", "notebook_edit", cell, permission_mode="yolo")) == "ask"
    assert asked.window.reviews.shown == []


@asynchronous
async def test_what_fails_is_asked_or_refused(folder, caplog):
    def fail(path, text, ticket):
        raise LookupError

    window = Window(folder, Reviews(fail))
    assert decision(await Asked(CLAUDE_CODE, window).write("new\n")) == "ask"
    answer = await Asked(CODEX_CLI, window).tell("PreToolUse", "apply_patch", add("a.py"))
    assert (decision(answer), answer.may_run) == ("deny", False)
    assert "could not be reviewed" in caplog.text


@asynchronous
async def test_where_its_own_diffs_come_here_it_asks_and_only_for_what_is_reviewed(folder):
    window = Window(folder, skip=("*.md",), processes=[OURS])
    asked = Asked(CLAUDE_CODE, window)
    asked.session.process = OURS
    assert (await asked.write("new\n", permission_mode="default")).told == {}  # it does so by itself
    assert decision(await asked.write("new\n", permission_mode="acceptEdits")) == "ask"
    assert (await asked.write("new\n", path="a.md", permission_mode="acceptEdits")).told == {}
    assert decision(await asked.tell("PreToolUse", "Write", {}, permission_mode="acceptEdits")) == "ask"
    assert window.reviews.shown == []


@pytest.mark.parametrize(
    ("process", "known", "hooked", "connected"),
    [
        (OURS, [OURS], 1, True),
        (OURS, [ANOTHER, OURS], 2, True),
        (OURS, [ANOTHER], 1, False),
        (OURS, [ANOTHER, None], 1, False),
        (OURS, [None], 1, True),
        (OURS, [], 1, False),
        (None, [OURS], 1, True),
        (None, [OURS], 2, False),
        (None, [OURS, None], 2, True),
        (None, [None], 0, False),
    ],
)
def test_whether_its_own_diffs_come_here(process, known, hooked, connected, folder):
    window = Window(folder, processes=known)
    window.agents.hooks_told([HookedAgent(agent) for agent in (CODEX_CLI, *[CLAUDE_CODE] * hooked)])
    asked = Asked(CLAUDE_CODE, window)
    asked.session.process = process
    assert asked.gate._is_connected(asked.session) is connected


def test_its_diffs_may_come_to_another_window(folder):
    here, there = Window(folder), Window(folder, processes=[OURS])
    asked = Asked(CLAUDE_CODE, here, there)
    asked.session.process = OURS
    assert asked.gate._is_connected(asked.session)


@asynchronous
async def test_a_question_about_an_accepted_file_is_answered_once(folder):
    async def ask(*paths):
        return decision(await asked.tell("PermissionRequest", "apply_patch", add(*paths)))

    asked = Asked(CODEX_CLI, Window(folder, Reviews(accept)))
    allowed = {"behavior": "allow"}
    assert await ask("a.py") is None
    await asked.tell("PreToolUse", "apply_patch", add("a.py"))
    await asked.tell("PreToolUse", "apply_patch", add("b.py"))
    assert await ask("a.py", "b.py") is None
    assert [await ask(each) for each in ("a.py", "a.py", "c.py")] == [allowed, None, None]
    await asked.tell("PreToolUse", "apply_patch", add("a.py"))
    await asked.tell("PostToolUse", "apply_patch", add("a.py"))
    assert [await ask(each) for each in ("a.py", "b.py", "b.py")] == [None, allowed, None]
    await asked.tell("PreToolUse", "apply_patch", add("b.py"))
    assert asked.window.reviews.over == [(str(folder / "a.py"),)]
    await asked.tell("Stop")
    assert await ask("b.py") is None
    assert asked.window.reviews.over[1:] == [None]
    await asked.tell("Stop")
    assert len(asked.window.reviews.over) == 2, "nothing of it is followed any more"


@asynchronous
async def test_a_question_about_an_edited_text_is_answered_for_that_text_alone(folder):
    asked = Asked(CODEX_CLI, Window(folder, Reviews(edit)))
    answer = await asked.tell("PreToolUse", "apply_patch", add("a.py"))
    edited = answer.told["hookSpecificOutput"]["updatedInput"]
    assert decision(await asked.tell("PermissionRequest", "apply_patch", add("a.py"))) is None
    assert decision(await asked.tell("PermissionRequest", "apply_patch", edited)) == {"behavior": "allow"}


@asynchronous
async def test_questions_about_each_file_of_a_patch_are_answered_once_each(folder):
    async def tell(event, **call):
        payload = {"sessionId": "s", "cwd": str(folder), **call}
        return (await asked.gate.answer(asked.session, COPILOT_CLI.hooks.read(payload, event))).told

    asked = Asked(COPILOT_CLI, Window(folder, Reviews(accept)))
    await tell("preToolUse", toolName="apply_patch", toolArgs=add("a.py", "b.py")["command"])
    names = ("b.py", "b.py", "a.py", "a.py")
    questions = [tell("permissionRequest", toolName="edit", toolInput={"path": each}) for each in names]
    allowed = {"behavior": "allow"}
    assert [await each for each in questions] == [allowed, {}, allowed, {}]


@asynchronous
async def test_what_begins_again_is_decided_again(folder):
    reviews = Reviews(accept)
    asked = Asked(CODEX_CLI, Window(folder, reviews))
    await asked.tell("PreToolUse", "apply_patch", add("a.py", "b.py"))
    reviews.decides = reject
    await asked.tell("PreToolUse", "apply_patch", add("a.py"))
    for names in (("a.py", "b.py"), ("a.py",)):
        assert decision(await asked.tell("PermissionRequest", "apply_patch", add(*names))) is None


@asynchronous
async def test_a_question_about_files_that_were_not_all_shown_is_its_own(folder):
    asked = Asked(CODEX_CLI, Window(folder, Reviews(accept), skip=("*.md",)))
    assert decision(await asked.tell("PreToolUse", "apply_patch", add("a.py", "b.md"))) is None
    assert [name for name, _ in asked.window.reviews.shown] == ["a.py"]
    assert decision(await asked.tell("PermissionRequest", "apply_patch", add("a.py", "b.md"))) is None


@asynchronous
async def test_who_asks_all_the_same_asks_once_from_then_on(folder):
    """Gemini CLI asks its user whatever its hook says, unless its user has told it not to."""
    window = Window(folder, Reviews(accept))
    asked = Asked(GEMINI_CLI, window)
    assert decision(await asked.write("new\n", "BeforeTool", "write_file")) == "allow"
    await asked.tell("Notification", notification_type="ToolPermission")
    assert decision(await asked.write("newer\n", "BeforeTool", "write_file")) == "ask"
    assert len(window.reviews.shown) == 1
    asked.gate.session_ended(asked.session)
    assert window.reviews.gone == [owner_of(asked.session).session_id]
    assert decision(await asked.write("newest\n", "BeforeTool", "write_file")) == "allow"


@asynchronous
async def test_a_question_of_its_own_is_not_answered_by_what_was_accepted(folder):
    asked = Asked(CLAUDE_CODE, Window(folder, Reviews(accept)))
    assert decision(await asked.write("new\n", permission_mode="default")) == "allow"
    assert (await asked.write("new\n", "PermissionRequest", permission_mode="default")).told == {}


@asynchronous
async def test_a_file_of_another_window_that_reviews_every_write_is_reviewed(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    another = Window(other)
    for connected, answered in (((), "allow"), ((OURS,), "ask")):
        reviews = Reviews(accept)
        asked = Asked(CLAUDE_CODE, Window(folder, reviews, processes=connected), another)
        asked.session.process = OURS
        another.reviews_every_write = True
        answer = await asked.write("new\n", path=str(other / "file.py"), permission_mode="auto")
        assert (decision(answer), reviews.shown) == (answered, [] if connected else [("file.py", "new\n")])
        another.reviews_every_write = False
        answer = await asked.write("new\n", path=str(other / "file.py"), permission_mode="auto")
        assert answer.told == {}


@pytest.mark.parametrize("every_write", [True, False])
@asynchronous
async def test_the_reason_goes_by_the_question_that_is_about_the_program_s_own_diff(folder, every_write):
    def opened(name, owner):
        ticket = Ticket(name, True, lambda outcome: None)
        pending.append(SimpleNamespace(ticket=ticket, path=str(folder / name), owner=Owner(owner, "Claude Code")))
        asked.gate.reviews_changed()
        return ticket

    def ask():
        return asyncio.ensure_future(asked.write("new\n", "PermissionRequest", permission_mode="default"))

    pending, window = [], Window(folder, processes=[OURS])
    window.reviews_every_write = every_write
    window.reviews.pending = lambda: pending
    window.reviews.refuse_by = lambda ticket, tell: setattr(ticket, "refuse", tell)
    asked = Asked(CLAUDE_CODE, window)
    asked.session.process = OURS
    question = ask()
    await comes_true(lambda: asked.gate._beside)
    assert opened("file.py", "another").refuse is None
    assert opened("other.py", "session-0").refuse is None
    ticket = opened("file.py", "session-0")
    other = ask()
    await comes_true(lambda: len(asked.gate._beside) == 2)
    await asked.write("", "PostToolUse", path="other.py")
    assert len(asked.gate._beside) == 2, "that was about another file"
    ticket.refuse("not so")
    answer = await question
    told = {"behavior": "deny", "message": f"{REJECTED}: not so"}
    assert (decision(answer), answer.may_run, ticket.refuse) == (told, False, None)
    asked.gate.reviews_changed()  # the diff is there for the other question
    assert ticket.refuse is not None
    ticket.settle(None)
    asked.gate.reviews_changed()
    assert ((await other).told, ticket.refuse) == ({}, None)
    for gives_up in (True, False):
        opened("file.py", "session-0")
        other = ask()
        await comes_true(lambda: asked.gate._beside)
        if gives_up:
            other.cancel()
        else:
            await asked.write("", "PostToolUse")
        await comes_true(lambda: not asked.gate._beside and pending[-1].ticket.refuse is None)
        pending.clear()

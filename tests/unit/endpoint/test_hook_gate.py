"""What a program that is about to write is answered, of files on a disk and of reviews that are decided at once."""

from __future__ import annotations

import asyncio
import os
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
from companion.endpoint.clients import HookedPrograms
from companion.endpoint.held_call import NOT_UNDERSTOOD, REJECTED, TAKEN_BACK, UNDECIDED, owner_of
from companion.endpoint.hook_gate import NOBODY, HookGate
from companion.endpoint.hook_sessions import HookSession
from companion.review.decision import Outcome
from companion.review.document import disk
from companion.review.document.disk import ReadLimits
from companion.review.document.preparation import FileRequest
from companion.settings import Settings
from tests.unit.endpoint.answering_editors import Runtime as OneThread
from tests.unit.endpoint.answering_editors import asynchronous

OURS, ANOTHER = 4711, 4712


class Runtime(OneThread):
    async def call_main(self, function, *arguments):
        return function(*arguments)


class Reviews:
    """Decides every review as soon as it is shown: with what `decides` gives for its text. Without one it waits."""

    def __init__(self, decides=None):
        self.decides, self.shown, self.over, self.gone, self.taken = decides, [], [], [], []
        self.accepted_texts = SimpleNamespace(over=lambda owner, paths: self.over.append(paths))

    def file_request(self, path):
        return FileRequest(path, ReadLimits.of(Settings()), "", {})

    def open_diff(self, owner, path, proposed, prepared, ticket, draft):
        text = (draft or proposed).exact
        self.shown.append((os.path.basename(path), text))
        self.ticket, self.original = ticket, prepared.original
        if self.decides is not None:
            self.decides(path, text, ticket)

    def confirm(self, ticket, text, told):
        self.told = told
        return ticket.settle(Outcome("", text))

    def take_back(self, ticket):
        self.taken.append(ticket.name)

    def note(self, ticket, sentence):
        ticket.note(sentence)

    def owner_gone(self, owner):
        self.gone.append(owner)


class Window:
    """What is asked of an endpoint."""

    def __init__(self, folder, reviews=None, skip=(), processes=()):
        self.reviews = reviews or Reviews()
        self.reviews_every_write = True
        self.announced = (str(folder),)
        self.settings = lambda: Settings(review_skip=skip)
        self.clients = SimpleNamespace(processes=lambda key: list(processes))
        self.hooked = HookedPrograms()

    def folders(self):
        return self.announced

    @property
    def discovery(self):
        return SimpleNamespace(all_folders=self.announced)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "code"
    made.mkdir()
    (made / "file.py").write_bytes(b"one\ntwo\n")
    return made


class Asked:
    """A session of a program in a window, and what it is answered."""

    def __init__(self, agent, window, *others):
        self.agent, self.window = agent, window
        self.session = HookSession(agent, "s", window)
        self.gate = HookGate(Runtime(), lambda: [window, *others])

    async def tell(self, name, tool="", arguments=None, **fields):
        payload = {"session_id": "s", "cwd": self.window.announced[0], "hook_event_name": name, **fields}
        if tool:
            payload.update(tool_name=tool, tool_input=arguments, tool_use_id="1")
        return await self.gate.answer(self.session, self.agent.hooks.read(payload))

    async def write(self, content, name="PreToolUse", tool="Write", path="file.py", **fields):
        path = os.path.join(self.window.announced[0], path)
        return await self.tell(name, tool, {"file_path": path, "content": content}, **fields)


def decision(answer):
    said = answer.told.get("hookSpecificOutput", answer.told)
    return said.get("permissionDecision") or said.get("decision")


def reason(answer):
    return answer.told["hookSpecificOutput"]["permissionDecisionReason"]


def accept(path, text, ticket):
    ticket.consider(text, disk.read(path, ReadLimits.of(Settings())))


def accept_as(mine):
    """The user has made another text of it."""
    return lambda path, text, ticket: accept(path, mine, ticket)


edit = accept_as("mine\n")


def reject(path, text, ticket):
    ticket.settle(Outcome(path, None))


def withdraw(path, text, ticket):
    ticket.settle(None)


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


SAVED = "saved\none\ntwo\nthree\n"
EDITS = {"old_string": "two\n", "new_string": "zwei\n"}


@pytest.mark.parametrize(
    ("tool", "said", "accepted", "saved", "again", "sentence"),
    [
        (
            "Edit",
            EDITS,
            None,
            SAVED,
            "saved\none\nzwei\nthree\n",
            "has changed on disk since the diff was opened: look",
        ),
        ("Edit", EDITS, "one\nmine\n", SAVED, "saved\none\nmine\nthree\n", "opened: look"),
        ("Edit", EDITS, "1\nzwei\n", "one!\ntwo\n", "1\nzwei\n", "in 1 place that this diff changes, too"),
        ("Edit", EDITS, "mine\nzwei\n", "one\nother\n", "mine\nzwei\n", "in 1 place that this diff changes, too"),
        ("Write", {"content": "one\n2\n"}, None, SAVED, "saved\none\n2\nthree\n", "opened: look"),
        ("Write", {"content": "one\n2\n"}, "1\n2\n", SAVED, "saved\n1\n2\nthree\n", "opened: look"),
        ("Write", {"content": "one\n2\n"}, None, "one\r\ntwo\r\n", "one\r\n2\r\n", "opened: look"),
        ("Write", {"content": "one\n2\n"}, None, None, "one\n2\n", "opened: look"),
    ],
)
@asynchronous
async def test_what_was_saved_meanwhile_is_in_what_is_shown_again(folder, tool, said, accepted, saved, again, sentence):
    """In a tab or by another program, and whether the user has edited the proposal or not."""

    def decide(path, text, ticket):
        if len(reviews.shown) > 1:
            accept(path, text, ticket)
            return
        original = disk.read(path, ReadLimits.of(Settings()))
        if saved is None:
            file.unlink()
        else:
            file.write_bytes(saved.encode())
        ticket.consider(text if accepted is None else accepted, original)

    file, reviews = folder / "file.py", Reviews(decide)
    answer = await Asked(CLAUDE_CODE, Window(folder, reviews)).tell(
        "PreToolUse", tool, {"file_path": str(file), **said}
    )
    assert [text for _, text in reviews.shown][1:] == [again]
    assert sentence in reviews.ticket.problem
    assert decision(answer) == "allow"
    back = answer.told["hookSpecificOutput"].get("updatedInput", {"file_path": str(file), **said})
    (written,) = CLAUDE_CODE.hooks.writes.proposals(tool, back, {str(file): saved})
    assert written.text == again


@asynchronous
async def test_a_file_that_is_made_meanwhile_is_seen_before_it_is_overwritten(folder):
    def decide(path, text, ticket):
        (folder / "new.py").write_bytes(b"somebody else's\n")
        ticket.consider(text, reviews.original)

    reviews = Reviews(decide)
    asked = Asked(CLAUDE_CODE, Window(folder, reviews))
    assert decision(await asked.write("mine\n", path="new.py")) == "allow"
    assert [text for _, text in reviews.shown] == ["mine\n", "mine\n"]
    assert reviews.original.exact == "somebody else's\n"


@asynchronous
async def test_what_was_compared_again_is_written_as_it_is_shown(folder):
    """The user has had the left side read again: the text on the right is what they want in its place."""

    def decide(path, text, ticket):
        (folder / "file.py").write_bytes(SAVED.encode())
        accept(path, text, ticket)

    reviews, arguments = Reviews(decide), {"file_path": str(folder / "file.py"), **EDITS}
    answer = await Asked(CLAUDE_CODE, Window(folder, reviews)).tell("PreToolUse", "Edit", arguments)
    assert len(reviews.shown) == 1
    back = answer.told["hookSpecificOutput"]["updatedInput"]
    (written,) = CLAUDE_CODE.hooks.writes.proposals("Edit", back, {str(folder / "file.py"): SAVED})
    assert written.text == "one\nzwei\n"


@asynchronous
async def test_what_does_not_apply_any_more_is_not_understood(folder):
    def decide(path, text, ticket):
        (folder / "file.py").write_bytes(b"none of it\n")
        ticket.consider(text, reviews.original)

    reviews = Reviews(decide)
    patch = "*** Begin Patch\n*** Update File: file.py\n@@\n-one\n+new\n*** End Patch\n"
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", {"command": patch})
    assert (decision(answer), reason(answer)) == ("deny", NOT_UNDERSTOOD)
    assert len(reviews.shown) == 1


@asynchronous
async def test_a_patch_is_shown_file_by_file_and_the_first_rejection_ends_it(folder):
    names = [f"{number}.py" for number in range(1000)]
    reviews = Reviews(lambda path, text, ticket: (reject if path.endswith("2.py") else accept)(path, text, ticket))
    asked = Asked(CODEX_CLI, Window(folder, reviews))
    answer = await asked.tell("PreToolUse", "apply_patch", add(*names))
    assert (decision(answer), [name for name, _ in reviews.shown]) == ("deny", ["0.py", "1.py", "2.py"])
    assert reviews.ticket.notes == ("File 3 of 1,000 of this call: the next one follows.",)
    assert reviews.over == [["0.py", "1.py"]] or reviews.over == [[str(folder / "0.py"), str(folder / "1.py")]]


@asynchronous
async def test_of_a_patch_only_the_file_that_has_changed_meanwhile_is_shown_again(folder):
    def decide(path, text, ticket):
        if path.endswith("b.py") and len(reviews.shown) == 2:
            (folder / "file.py").write_bytes(SAVED.encode())
        accept(path, "mine\n" + text if len(reviews.shown) == 1 else text, ticket)

    reviews = Reviews(decide)
    patch = "*** Begin Patch\n*** Update File: file.py\n@@\n-two\n+2\n*** Add File: b.py\n+b\n*** End Patch\n"
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", {"command": patch})
    again = "mine\nsaved\none\n2\nthree\n"
    assert reviews.shown == [("file.py", "one\n2\n"), ("b.py", "b\n"), ("file.py", again)]
    back = answer.told["hookSpecificOutput"]["updatedInput"]
    found = CODEX_CLI.hooks.writes.proposals("apply_patch", back, {"file.py": SAVED, "b.py": None})
    assert [each.text for each in found] == [again, "b\n"]


@asynchronous
async def test_of_an_excluded_file_a_program_hears_nothing_that_it_has_not_said(folder):
    (folder / ".env").write_bytes(b"TOKEN=abc\nPORT=1\n")
    os.symlink(folder / ".env", folder / "settings")
    for name in (".env", "settings"):
        reviews = Reviews(accept_as("TOKEN=abc\nPORT=7\n"))
        arguments = {"file_path": str(folder / name), "old_string": "PORT=1", "new_string": "PORT=2"}
        answer = await Asked(CLAUDE_CODE, Window(folder, reviews)).tell("PreToolUse", "Edit", arguments)
        assert decision(answer) == "allow"
        assert "updatedInput" not in answer.told["hookSpecificOutput"]
        assert reviews.told == "TOKEN=abc\nPORT=2\n", "what the user accepted is saved over that"
        assert "Claude Code is not told what you type" in reviews.ticket.notes[0]


@pytest.mark.parametrize(
    ("agent", "tool", "seconds", "answered"),
    [
        (CLAUDE_CODE, "Write", 0.0, "deny"),
        (QWEN_CODE, "write_file", 0.0, "ask"),
        (CLAUDE_CODE, "Write", 86340.0, "allow"),
    ],
)
@asynchronous
async def test_when_its_time_is_over_nobody_has_answered(agent, tool, seconds, answered, folder, monkeypatch):
    monkeypatch.setattr(type(agent.hooks), "patience_seconds", seconds)
    monkeypatch.setattr(type(agent.hooks), "way", lambda *_: hook_gate.Way.WAITS)
    asked = Asked(agent, Window(folder, Reviews(accept if seconds else None)))
    answer = await asked.write("new\n", tool=tool)
    assert decision(answer) == answered
    if answered == "deny":
        assert (reason(answer), answer.may_run) == (NOBODY, False)
    assert asked.gate._held == []


@asynchronous
async def test_who_is_held_asks_when_the_window_goes_its_turn_ends_or_the_package_does(folder):
    async def held(asked):
        task = asyncio.ensure_future(asked.write("new\n"))
        while not asked.window.reviews.shown:
            await asyncio.sleep(0.005)
        return task

    def leave(asked):
        asked.window.announced = ()
        asked.gate.look()

    for end, runs in (
        (leave, True),
        (lambda asked: asked.gate.end(), False),
        (lambda asked: asked.gate.session_ended(asked.session), False),
    ):
        asked = Asked(CLAUDE_CODE, Window(folder))
        task = await held(asked)
        asked.gate.look()
        assert not task.done()
        end(asked)
        answer = await task
        assert (decision(answer), answer.may_run, asked.gate._held) == ("ask", runs, [])
        assert asked.window.reviews.taken == ["1 0"]
    asked = Asked(CLAUDE_CODE, Window(folder))
    task = await held(asked)
    await asked.tell("PostToolUse", "Bash", {"command": "make"})
    assert not task.done()
    await asked.tell("UserPromptSubmit", prompt="go")
    answer = await task
    assert (decision(answer), answer.may_run) == ("ask", False)


@asynchronous
async def test_what_is_refused_because_it_cannot_be_asked_does_not_run(folder):
    asked = Asked(CODEX_CLI, Window(folder))
    task = asyncio.ensure_future(asked.tell("PreToolUse", "apply_patch", add("a.py")))
    while not asked.window.reviews.shown:
        await asyncio.sleep(0.005)
    asked.window.announced = ()
    asked.gate.look()
    answer = await task
    assert (decision(answer), reason(answer), answer.may_run) == ("deny", UNDECIDED, False)


@asynchronous
async def test_that_a_program_may_have_gone_on_is_said_while_it_waits(folder, monkeypatch):
    monkeypatch.setattr(type(CODEX_CLI.hooks), "may_be_gone_after_seconds", 0.001)
    asked = Asked(CODEX_CLI, Window(folder))
    task = asyncio.ensure_future(asked.tell("PreToolUse", "apply_patch", add("a.py", "b.py")))
    sentence = CODEX_CLI.hooks.may_be_gone.format("Codex CLI")
    for number, name in enumerate(("a.py", "b.py")):
        reviews = asked.window.reviews
        while len(reviews.shown) == number or reviews.ticket.notes[-1] != sentence:
            await asyncio.sleep(0.005)  # whether the diff was open by then or not
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
    assert decision(await asked.tell("PreToolUse", "NotebookEdit", {"notebook_path": str(folder / "a.ipynb")})) == "ask"
    assert asked.window.reviews.shown == []


@asynchronous
async def test_where_its_own_diffs_come_here_it_asks_and_only_for_what_is_reviewed(folder):
    window = Window(folder, skip=("*.md",), processes=[OURS])
    asked = Asked(CLAUDE_CODE, window)
    asked.session.process = OURS
    assert (await asked.write("new\n", permission_mode="default")).told == {}  # it does so by itself
    assert decision(await asked.write("new\n", permission_mode="acceptEdits")) == "ask"
    assert (await asked.write("new\n", path="a.md", permission_mode="acceptEdits")).told == {}
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
    window.hooked = HookedPrograms((CODEX_CLI, *[CLAUDE_CODE] * hooked))
    asked = Asked(CLAUDE_CODE, window)
    asked.session.process = process
    assert asked.gate._is_connected(asked.session) is connected


def test_its_diffs_may_come_to_another_window(folder):
    here, there = Window(folder), Window(folder, processes=[OURS])
    asked = Asked(CLAUDE_CODE, here, there)
    asked.session.process = OURS
    assert asked.gate._is_connected(asked.session)


def add(*paths):
    files = "".join(f"*** Add File: {path}\n+new\n" for path in paths)
    return {"command": f"*** Begin Patch\n{files}*** End Patch\n"}


@asynchronous
async def test_a_question_about_what_was_accepted_is_answered_once_and_not_after_that_is_written(folder):
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
async def test_a_program_that_asks_about_each_file_of_a_patch_is_answered_once_for_each(folder):
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
    await asked.tell("PreToolUse", "apply_patch", add("a.py"))
    reviews.decides = reject
    await asked.tell("PreToolUse", "apply_patch", add("a.py"))
    assert decision(await asked.tell("PermissionRequest", "apply_patch", add("a.py"))) is None


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


@pytest.mark.parametrize(
    ("agent", "tool", "text", "written"),
    [
        (CLAUDE_CODE, "Write", "new\n", "new\n"),
        (CLAUDE_CODE, "Write", "mine", "mine"),
        (CLAUDE_CODE, "Write", "one\ntwo\n", "one\ntwo\n"),
        (CODEX_CLI, "apply_patch", "mine", "mine\n"),  # no patch leaves out the last line end
        (QWEN_CODE, "write_file", "mine\n", "new\n"),  # before its tool runs it takes no other text
    ],
)
@asynchronous
async def test_what_the_program_writes_of_an_edited_text_is_known(agent, tool, text, written, folder):
    asked = Asked(agent, Window(folder, Reviews(accept_as(text))))
    patch = "*** Begin Patch\n*** Update File: file.py\n@@\n-one\n-two\n+new\n*** End Patch\n"
    arguments = {"command": patch, "file_path": str(folder / "file.py"), "content": "new\n"}
    await asked.tell("PreToolUse", tool, arguments)
    assert asked.window.reviews.told == written

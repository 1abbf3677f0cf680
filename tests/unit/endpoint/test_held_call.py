"""The reviews of one call that is held: files that change, calls of many files, and what a program is told."""

from __future__ import annotations

import os

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.hook_proposals import FileProposal
from companion.agents.qwen_code import QWEN_CODE
from companion.endpoint.held_call import HAS_CHANGED, NOT_UNDERSTOOD, WITHHELD
from companion.endpoint.held_files import ReviewedFile, Standing, standing
from companion.review.document import disk
from companion.settings import Settings
from tests.unit.endpoint.answering_editors import asynchronous
from tests.unit.endpoint.hooked_world import Asked, Reviews, Window, accept, accept_as, add, decision, reason, reject

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
        original = disk.read(path, disk.LIMITS)
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
        (folder / "new.py").write_bytes(b"\xef\xbb\xbfsomebody else's\n")
        ticket.consider(text, reviews.original)

    reviews = Reviews(decide)
    asked = Asked(CLAUDE_CODE, Window(folder, reviews))
    assert decision(await asked.write("mine\n", path="new.py")) == "allow"
    assert [text for _, text in reviews.shown] == ["mine\n", "\ufeffmine\n"], "it keeps the byte order mark"
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


@pytest.mark.parametrize(("saved", "edits"), [(b"none of it\n", ""), (b"\xff\xfe\x00", "mine\n")])
@asynchronous
async def test_what_does_not_apply_any_more_is_not_understood(folder, saved, edits):
    def decide(path, text, ticket):
        (folder / "file.py").write_bytes(saved)
        ticket.consider(text + edits, reviews.original)

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
    assert reviews.turns == {}, "what was not decided is withdrawn"
    assert reviews.over == [["0.py", "1.py"]] or reviews.over == [[str(folder / "0.py"), str(folder / "1.py")]]


@asynchronous
async def test_of_a_patch_only_the_file_that_has_changed_is_shown_again(folder):
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
    assert reviews.over == [[str(folder / "file.py")]], "what was accepted first is not waited for any more"


@pytest.mark.parametrize(("name", "mine"), [("file.py", None), (".env", "mine\n")])
@asynchronous
async def test_what_was_accepted_and_does_not_apply_any_more_is_not_understood(folder, name, mine):
    """As the program has proposed it, or with edits of which it hears nothing."""

    def decide(path, text, ticket):
        if path.endswith("b.py"):
            (folder / name).write_bytes(b"none of it\n")
            accept(path, text, ticket)
        else:
            accept(path, mine or text, ticket)

    (folder / name).write_bytes(b"one\ntwo\n")
    reviews = Reviews(decide)
    said = f"*** Begin Patch\n*** Update File: {name}\n@@\n-two\n+2\n*** Add File: b.py\n+b\n*** End Patch\n"
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", {"command": said})
    assert (decision(answer), reason(answer)) == ("deny", NOT_UNDERSTOOD)
    assert [shown for shown, _ in reviews.shown] == [name, "b.py"]


@asynchronous
async def test_a_text_for_a_missing_file_is_asked_again_once_the_file_is_there(folder):
    def decide(path, text, ticket):
        if len(reviews.shown) == 2:
            (folder / "a.py").write_bytes(b"somebody else's\n")
        accept(path, text, ticket)

    reviews = Reviews(decide)
    await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", add("a.py", "b.py"))
    assert [name for name, _ in reviews.shown] == ["a.py", "b.py", "a.py"]


@asynchronous
async def test_what_is_not_to_be_reviewed_any_more_goes_its_own_way(folder):
    """The user has written it into “review_skip” while the diff was open."""

    def decide(path, text, ticket):
        window.settings = lambda: Settings(review_skip=("*.py",))
        (folder / "file.py").write_bytes(SAVED.encode())
        ticket.consider(text, reviews.original)

    reviews = Reviews(decide)
    window = Window(folder, reviews)
    assert (await Asked(CLAUDE_CODE, window).write("new\n")).told == {}
    assert len(reviews.shown) == 1


@asynchronous
async def test_of_a_patch_the_file_that_is_left_to_be_reviewed_is_shown(folder):
    """The user has written the other one into “review_skip”, and it has changed, while its diff was open."""

    def decide(path, text, ticket):
        if path.endswith("file.py"):
            window.settings = lambda: Settings(review_skip=("file.py",))
            (folder / "file.py").write_bytes(SAVED.encode())
        accept(path, text, ticket)

    window = Window(folder, Reviews(decide))
    patch = "*** Begin Patch\n*** Update File: file.py\n@@\n-two\n+2\n*** Add File: b.py\n+b\n*** End Patch\n"
    answer = await Asked(CODEX_CLI, window).tell("PreToolUse", "apply_patch", {"command": patch})
    assert [name for name, _ in window.reviews.shown] == ["file.py", "b.py"]
    assert answer.told == {}, "it may write"


@asynchronous
async def test_what_is_rejected_before_the_files_were_looked_at_is_not_accepted(folder):
    def decide(path, text, ticket):
        accept(path, text, ticket)
        reject(path, text, ticket)

    assert decision(await Asked(CLAUDE_CODE, Window(folder, Reviews(decide))).write("new\n")) == "deny"


@asynchronous
async def test_a_file_that_cannot_be_compared_any_more_is_shown_again(folder):
    def decide(path, text, ticket):
        (folder / "file.py").write_bytes(b"one\0\n")
        accept(path, text, ticket)

    reviews = Reviews(decide)
    assert decision(await Asked(CLAUDE_CODE, Window(folder, reviews)).write("new\n")) == "allow"
    assert len(reviews.shown) == 2


@asynchronous
async def test_a_file_that_is_to_be_deleted_is_so_whatever_it_holds(folder):
    def decide(path, text, ticket):
        if len(reviews.shown) == 1:
            (folder / "file.py").write_bytes(SAVED.encode())
            ticket.consider(text, reviews.original)
        else:
            accept(path, text, ticket)

    reviews, said = Reviews(decide), {"command": "*** Begin Patch\n*** Delete File: file.py\n*** End Patch\n"}
    await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", said)
    assert reviews.shown == [("file.py", ""), ("file.py", "")]
    assert reviews.ticket.problem == HAS_CHANGED.format("file.py")
    assert reviews.ticket.notes == ("Codex CLI deletes this file.",)
    assert reviews.told is None


@asynchronous
async def test_two_names_of_one_file_in_a_patch_are_not_understood(folder):
    os.symlink(folder / "file.py", folder / "link.py")
    reviews = Reviews(accept)
    steps = "*** Update File: file.py\n@@\n-one\n+1\n*** Update File: link.py\n@@\n-two\n+2\n"
    said = {"command": f"*** Begin Patch\n{steps}*** End Patch\n"}
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", said)
    assert (decision(answer), reason(answer), reviews.shown) == ("deny", NOT_UNDERSTOOD, [])


@asynchronous
async def test_a_file_is_reviewed_that_is_moved_where_nothing_is(folder):
    reviews = Reviews(accept)
    said = {"command": "*** Begin Patch\n*** Update File: file.py\n*** Move to: file.md\n@@\n-two\n+2\n*** End Patch\n"}
    await Asked(CODEX_CLI, Window(folder, reviews, skip=("*.md",))).tell("PreToolUse", "apply_patch", said)
    assert reviews.shown == [("file.md", "one\n2\n")]


@asynchronous
async def test_of_folders_inside_each_other_the_inner_one_says_what_is_skipped(folder):
    (folder / "inner").mkdir()
    window = Window(folder, Reviews(accept), skip=("/made/",))
    window.announced = (str(folder), str(folder / "inner"))
    asked = Asked(CLAUDE_CODE, window)
    assert (await asked.write("new\n", path="inner/made/a.py")).told == {}
    assert decision(await asked.write("new\n", path="inner/inner/made/a.py")) == "allow"


def test_no_more_of_a_file_is_read_than_a_diff_may_have(folder):
    path = str(folder / "file.py")
    file = ReviewedFile(FileProposal(path, "one\ntwo\n", "new\n"), path, path)
    assert standing(file, None, most=8) is Standing.SAME
    assert standing(file, None, most=7) is Standing.CHANGED


@asynchronous
async def test_of_a_patch_the_file_that_changes_while_it_is_shown_is_shown_again(folder):
    def decide(path, text, ticket):
        if len(reviews.shown) == 2:
            (folder / "file.py").write_bytes(SAVED.encode())
            ticket.consider(text, reviews.original)
        else:
            accept(path, text, ticket)

    reviews = Reviews(decide)
    patch = "*** Begin Patch\n*** Add File: b.py\n+b\n*** Update File: file.py\n@@\n-two\n+2\n*** End Patch\n"
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", {"command": patch})
    again = "saved\none\n2\nthree\n"
    assert reviews.shown == [("b.py", "b\n"), ("file.py", "one\n2\n"), ("file.py", again)]
    assert answer.told == {}, "by its own arguments"


@pytest.mark.parametrize(
    ("saved", "again", "sentence"),
    [(SAVED, "mine\nsaved\none\n2\nthree\n", "opened: look"), ("other\n", "mine\none\n2\n", "in 1 place that")],
)
@asynchronous
async def test_a_file_that_is_to_be_moved_changes_where_it_is(folder, saved, again, sentence):
    def decide(path, text, ticket):
        if len(reviews.shown) == 1:
            (folder / "file.py").write_bytes(saved.encode())
            ticket.consider("mine\n" + text, reviews.original)
        else:
            accept(path, text, ticket)

    reviews = Reviews(decide)
    move = "*** Update File: file.py\n*** Move to: moved.py\n@@\n-two\n+2\n"
    said = {"command": f"*** Begin Patch\n{move}*** End Patch\n"}
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", said)
    assert reviews.shown == [("moved.py", "one\n2\n"), ("moved.py", again)]
    assert sentence in reviews.ticket.problem
    assert reviews.ticket.notes == ("Codex CLI moves file.py here.",)
    back = answer.told["hookSpecificOutput"]["updatedInput"]
    (found,) = CODEX_CLI.hooks.writes.proposals("apply_patch", back, {"file.py": saved, "moved.py": None})
    assert (found.text, found.moved_from) == (again, "file.py")


@asynchronous
async def test_of_an_excluded_file_a_program_hears_nothing_that_it_has_not_said(folder):
    (folder / ".env").write_bytes(b"TOKEN=abc\nPORT=1\n")
    (folder / "plain").write_bytes(b"TOKEN=abc\nPORT=1\n")
    os.symlink(folder / ".env", folder / "settings")
    os.symlink(folder / "plain", folder / ".env.local")
    for name in (".env", "settings", ".env.local"):
        reviews = Reviews(accept_as("TOKEN=abc\nPORT=7\n"))
        arguments = {"file_path": str(folder / name), "old_string": "PORT=1", "new_string": "PORT=2"}
        answer = await Asked(CLAUDE_CODE, Window(folder, reviews)).tell("PreToolUse", "Edit", arguments)
        assert decision(answer) == "allow"
        assert "updatedInput" not in answer.told["hookSpecificOutput"]
        assert reviews.told == "TOKEN=abc\nPORT=2\n", "what the user accepted is saved over that"
        assert "Claude Code is not told what you type" in reviews.ticket.notes[0]
    move = "*** Update File: .env\n*** Move to: moved\n@@\n-PORT=1\n+PORT=2\n"
    asked = Asked(CODEX_CLI, Window(folder, reviews))
    await asked.tell("PreToolUse", "apply_patch", {"command": f"*** Begin Patch\n{move}*** End Patch\n"})
    assert reviews.ticket.notes[-1] == WITHHELD.format("Codex CLI"), "nor under another name"
    arguments = {"file_path": str(folder / ".env"), "content": "PORT=2\n"}
    await Asked(QWEN_CODE, Window(folder, reviews)).tell("PreToolUse", "write_file", arguments)
    assert WITHHELD.format("Qwen Code") not in reviews.ticket.notes, "it takes no edits of any file"


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


@asynchronous
async def test_below_a_link_a_name_is_read_by_its_letters_as_codex_cli_does(folder, tmp_path):
    deep = tmp_path / "elsewhere" / "deep"
    deep.mkdir(parents=True)
    os.symlink(str(deep), str(folder / "link"))
    reviews = Reviews(accept)
    said = {"command": "*** Begin Patch\n*** Update File: ../file.py\n@@\n-one\n+1\n*** End Patch\n"}
    await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", said, cwd=str(folder / "link"))
    assert reviews.shown == [("file.py", "1\ntwo\n")]


@pytest.mark.parametrize("path", ["/proc/self/cwd/file.py", "//proc/./thread-self/cwd/file.py", "/dev/fd/7"])
@asynchronous
async def test_a_name_that_differs_by_process_is_not_taken_for_one_outside(folder, path):
    reviews = Reviews(accept)
    said = {"command": f"*** Begin Patch\n*** Update File: {path}\n@@\n-one\n+1\n*** End Patch\n"}
    answer = await Asked(CODEX_CLI, Window(folder, reviews)).tell("PreToolUse", "apply_patch", said)
    assert (decision(answer), reviews.shown) == ("deny", [])
    answer = await Asked(CLAUDE_CODE, Window(folder, reviews)).write("new\n", path=path)
    assert (decision(answer), reviews.shown) == ("ask", [])

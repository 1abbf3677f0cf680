"""What a user of Gemini CLI sees, and in the same way one of Qwen Code, which has been made from it."""

from __future__ import annotations

from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.shared import GREETING

PROPOSAL = GREETING.replace("Hello", "Good day")


class Journeys:
    """The tests of both. A module has a subclass with what differs, and a fixture `program`, which is connected."""

    title: str
    #: What the program's tool says in a request to the model once it has written the file.
    written: str
    #: What the user adds in the editor before the program is answered in the terminal.
    edits_before_a_key = ""
    #: Whether the program tells the model of a change that was rejected.
    tells_of_a_rejection: bool

    def change(self, path):
        """The calls by which the model changes the word "Hello"."""
        raise NotImplementedError

    def tool_outputs(self, request):
        """What the program's tools have said in a request to the model, oldest first."""
        raise NotImplementedError

    def check_context(self, desktop, request):
        """That a request to the model holds the open file, the cursor and the selection."""
        raise NotImplementedError

    def start_review(self, desktop, program, model, *answers):
        """Asks the program for a change; returns the proposal once it shows here and there."""
        model.script(*self.change(desktop.path("greeting.py")), *answers)
        program.submit("Be more polite")
        program.wait_confirmation("greeting.py")
        proposal = desktop.wait_proposal()
        assert proposal["text"] == PROPOSAL
        return proposal

    def test_an_edit_is_accepted_in_the_editor_with_a_change_of_the_user(self, desktop, program, model):
        before = desktop.arrangement()
        desktop.wait_status(self.title)
        proposal = self.start_review(desktop, program, model, Say("It is polite now."))
        self.check_context(desktop, model.turns[0])
        desktop.type_at_end(proposal["id"], "# reviewed\n")
        assert desktop.read("greeting.py").decode() == GREETING, "the program writes, after the answer"
        desktop.accept()
        program.wait_for("It is polite now.")
        assert desktop.read("greeting.py").decode() == PROPOSAL + "# reviewed\n"
        output = self.tool_outputs(model.turns[-1])[-1]
        assert self.written in output
        assert "# reviewed" in output
        desktop.wait_no_review()
        assert desktop.arrangement() == before

    def test_an_answer_in_the_terminal_closes_the_diff(self, desktop, program, model):
        before = desktop.arrangement()
        self.start_review(desktop, program, model)
        program.press("escape")
        desktop.wait_no_review()
        assert desktop.arrangement() == before
        assert desktop.read("greeting.py").decode() == GREETING

        proposal = self.start_review(desktop, program, model, Say("It is polite by the terminal."))
        desktop.type_at_end(proposal["id"], self.edits_before_a_key)
        program.press("enter")
        program.wait_for("It is polite by the terminal.")
        desktop.wait_no_review()
        assert desktop.arrangement() == before
        assert desktop.read("greeting.py").decode() == PROPOSAL + self.edits_before_a_key
        assert self.written in self.tool_outputs(model.turns[-1])[-1]

    def test_what_is_rejected_in_the_editor_is_not_written(self, desktop, program, model):
        before = desktop.arrangement()
        self.start_review(desktop, program, model)
        desktop.reject()
        desktop.wait_no_review()
        assert desktop.arrangement() == before

        model.script(
            CallTool("write_file", {"file_path": desktop.path("new.txt"), "content": "new\n"}), Say("Written.")
        )
        program.submit("Write a new file")
        program.wait_confirmation("new.txt")
        assert desktop.wait_proposal()["text"] == "new\n"
        desktop.accept()
        program.wait_for("Written.")
        assert desktop.read("new.txt") == b"new\n"
        assert desktop.read("greeting.py").decode() == GREETING
        told = [text for text in self.tool_outputs(model.turns[-1]) if "cancel" in text.lower()]
        assert bool(told) == self.tells_of_a_rejection

    def test_a_reload_of_the_package_does_not_disturb_the_program(self, desktop, program, model):
        desktop.host.disable_package()
        desktop.host.enable_package()
        desktop.wait_status(self.title)
        self.start_review(desktop, program, model, Say("It is polite after all."))
        desktop.accept()
        program.wait_for("It is polite after all.")
        assert desktop.read("greeting.py").decode() == PROPOSAL

    def test_a_program_that_is_switched_off_is_out_and_its_diff_ends(self, desktop, program, model):
        before = desktop.arrangement()
        self.start_review(desktop, program, model)
        self.switch(desktop, False)
        desktop.wait_no_review()
        desktop.wait_no_client()
        assert desktop.arrangement() == before
        program.wait_ready()
        for _ in range(20):  # it finds out when it tries to come back
            if "Disconnected" in program.ask("/ide status", "onnected"):
                break
        else:
            raise AssertionError("it takes itself for connected")
        desktop.write("diary.txt", b"nobody reads this")
        desktop.open("diary.txt", row=0, column=0, end_row=0, end_column=17)
        model.script(Say("It knows of nothing."))
        program.submit("Tell me what is selected")
        program.wait_for("It knows of nothing.")
        assert "diary" not in str(model.turns[-1])
        assert "nobody reads" not in str(model.turns[-1])
        self.switch(desktop, True)
        desktop.wait_published()
        program.enter("/ide enable", lambda: self.title in desktop.window()["status_bar"])
        program.close()  # the next test is about one that has never lost its session
        desktop.wait_no_client()

    def switch(self, desktop, on):
        """The user switches the program off, or on."""
        programs = {self.title.split()[0].lower(): {"enabled": on}}
        desktop.host.evaluate(f"sublime.load_settings('Gemini Companion.sublime-settings').set('programs', {programs})")

    def test_a_program_that_is_closed_takes_its_diff_with_it(self, desktop, program, model):
        before = desktop.arrangement()
        self.start_review(desktop, program, model)
        program.close()
        desktop.host.wait_until(lambda: desktop.arrangement() == before)
        assert desktop.read("greeting.py").decode() == GREETING
        desktop.wait_no_client()

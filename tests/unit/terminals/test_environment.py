"""What terminals inherit, and that nothing of it stays behind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.agents.agent import ConnectionDetails
from companion.terminals.command_lines import ExportedEnvironment, client_variables, terminal_variables

CONNECTION = ConnectionDetails(50001, ("/code/one", "/code/two"), 4321, ":")
ALL = {
    "GEMINI_CLI_IDE_SERVER_PORT": "50001",
    "GEMINI_CLI_IDE_WORKSPACE_PATH": "/code/one:/code/two",
    "QWEN_CODE_IDE_SERVER_PORT": "50001",
    "QWEN_CODE_IDE_WORKSPACE_PATH": "/code/one:/code/two",
    "LLXPRT_CODE_IDE_SERVER_PORT": "50001",
    "LLXPRT_CODE_IDE_WORKSPACE_PATH": "/code/one:/code/two",
    "CLAUDE_CODE_AUTO_CONNECT_IDE": "true",
}


def test_a_terminal_gets_port_and_workspace_for_every_client():
    assert terminal_variables(CONNECTION) == ALL


def test_a_client_started_elsewhere_gets_the_editors_process_id_too():
    assert client_variables(CONNECTION) == dict(ALL, GEMINI_CLI_IDE_PID="4321")


def test_lists_of_folders_use_the_platforms_separator():
    windows = ConnectionDetails(1, ("C:\\a", "\\\\server\\b"), 2, ";")
    assert terminal_variables(windows)["QWEN_CODE_IDE_WORKSPACE_PATH"] == "C:\\a;\\\\server\\b"


def test_what_somebody_else_has_set_meanwhile_is_theirs():
    environment = {}
    exported = ExportedEnvironment(environment)
    exported.put(ALL)
    environment["QWEN_CODE_IDE_SERVER_PORT"] = "theirs"
    del environment["GEMINI_CLI_IDE_SERVER_PORT"]
    exported.clear()
    assert environment == {"QWEN_CODE_IDE_SERVER_PORT": "theirs"}


def test_what_somebody_else_has_set_and_we_have_set_again_is_given_back():
    """The window in front is looked at every second, and its variables are put again."""
    environment = {"QWEN_CODE_IDE_SERVER_PORT": "of the start"}
    exported = ExportedEnvironment(environment)
    exported.put(ALL)
    environment["QWEN_CODE_IDE_SERVER_PORT"] = "theirs"
    del environment["GEMINI_CLI_IDE_SERVER_PORT"]
    exported.put(ALL)
    assert environment == ALL
    exported.clear()
    assert environment == {"QWEN_CODE_IDE_SERVER_PORT": "theirs"}


NAMES = st.sampled_from(["A", "B", "C"])
VALUES = st.sampled_from(["1", "2", "3"])


@given(st.dictionaries(NAMES, VALUES), st.lists(st.dictionaries(NAMES, VALUES), max_size=6))
def test_whatever_was_put_the_environment_is_given_back_as_it_was(before, launch_settings):
    environment = dict(before)
    exported = ExportedEnvironment(environment)
    for request in launch_settings:
        exported.put(request)
        assert environment == dict(before, **request)
    exported.clear()
    assert environment == before

"""The command line clients that the package can start, and how a user gets them.

Rule: one entry per client; whatever differs between them stands here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Tuple

if TYPE_CHECKING:
    from ..settings import Settings


class Client(NamedTuple):
    """A command line client. `program` is what users type; `npm_package` is what they install."""

    key: str
    title: str
    program: str
    npm_package: str
    node: int  # the oldest major version of Node.js that it runs on


GEMINI = Client("gemini", "Gemini CLI", "gemini", "@google/gemini-cli", 20)
QWEN = Client("qwen", "Qwen Code", "qwen", "@qwen-code/qwen-code", 20)
CLIENTS: Tuple[Client, ...] = (GEMINI, QWEN)


def client_named(key: str) -> Client:
    """The client with this key. Raises `KeyError`."""
    for client in CLIENTS:
        if client.key == key:
            return client
    raise KeyError(key)


def command_of(client: Client, settings: Settings) -> Tuple[str, ...]:
    """The words that start the client, as the user has set them; its program where that is nothing."""
    return (settings.gemini_command if client is GEMINI else settings.qwen_command) or (client.program,)


def how_to_install(client: Client) -> str:
    """What to tell a user who does not have the client, in a few lines."""
    return (
        '{0.title} was not found: there is no "{0.program}" on the PATH of your login shell.\n'
        "\n"
        "It needs Node.js {0.node} or newer. Install it in a terminal with\n"
        "\n"
        "    npm install -g {0.npm_package}\n"
        "\n"
        'then run "Gemini Companion: Run {0.title}" again. In {0.title}, type /ide enable to connect to this editor.\n'
    ).format(client)

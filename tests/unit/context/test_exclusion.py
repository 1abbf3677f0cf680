"""Which files the exclusion patterns take."""

from __future__ import annotations

import pytest

from companion.context.model import exclusion
from companion.settings import Settings


@pytest.mark.parametrize(
    "pattern, taken, left",
    [
        (".env", ["/w/.env", "C:\\w\\.ENV", "/w/.env/below"], ["/w/.env.py.txt", "/w/x.env", "/w/env"]),
        (".env*", ["/w/.env", "/w/.env.local", "/w/.envrc"], ["/w/environment"]),
        ("*.pem", ["/w/a.pem", "/w/A.PEM"], ["/w/a.pem.txt", "/w/pem"]),
        ("id_rsa*", ["/home/ada/.ssh/id_rsa", "/home/ada/.ssh/id_rsa.old"], ["/w/grid_rsa"]),
        ("private", ["/w/private/a.py", "/w/private"], ["/w/private.py"]),
        ("test*.py", ["/w/test_a.py"], ["/w/tests/a.py"]),
        ("secrets/", ["/w/secrets/a", "/w/secrets/deep/a"], ["/w/secrets", "/w/mysecrets/a"]),
        ("config/*.json", ["/w/config/a.json"], ["/w/config/a.py", "/w/a.json", "/w/myconfig/a.json"]),
        ("/w/one", ["/w/one", "/w/one/a.py"], ["/v/w/one", "/w/one.py"]),
        ("/w/*/x", ["/w/a/x", "/w/a/b/x"], ["/w/x"]),
        ("C:\\Users\\*\\secret.txt", ["C:\\Users\\Ada\\secret.txt"], ["D:\\Users\\Ada\\secret.txt"]),
        ("[ab].txt", ["/w/a.txt"], ["/w/c.txt"]),
        ("caf\u00e9*", ["/w/cafe\u0301.txt", "/w/CAF\u00c9.txt"], ["/w/cafe.txt"]),
        ("caf?.txt", ["/w/cafe\u0301.txt"], ["/w/caffe.txt"]),
    ],
)
def test_a_pattern_takes_and_leaves(pattern, taken, left):
    excluded = exclusion((pattern,))
    assert [path for path in taken if not excluded(path)] == []
    assert [path for path in left if excluded(path)] == []


def test_a_tilde_is_the_users_home(monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("USERPROFILE", "/home/somebody")
    exclusion.cache_clear()
    excluded = exclusion(("~/.aws/",))
    assert excluded("/home/somebody/.aws/config")
    assert not excluded("/w/.aws/config")
    exclusion.cache_clear()


@pytest.mark.parametrize("patterns", [(), ("",), ("/",), ("  ",)])
def test_no_pattern_takes_nothing(patterns):
    assert not exclusion(patterns)("/w/a.py")


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        "production.env",
        "server.pem",
        "server.key",
        "id_rsa",
        "id_ed25519",
        ".ssh/config",
        ".netrc",
        ".npmrc",
        ".pgpass",
        ".git-credentials",
        ".aws/credentials",
        "vault.kdbx",
    ],
)
def test_the_defaults_take_what_commonly_holds_secrets(name):
    excluded = exclusion(tuple(Settings().context_exclude))
    assert excluded("/w/" + name)


@pytest.mark.parametrize("name", ["environment.py", "keyboard.py", "monkey.js", "README.md", "tokens.c", "grid_rsa.py"])
def test_the_defaults_leave_ordinary_files(name):
    assert not exclusion(tuple(Settings().context_exclude))("/w/" + name)

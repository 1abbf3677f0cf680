"""The life of the editor and its plugin host: start, quit, kill, crash, and who hears of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.host import launch
from tests.host.driver import Host, HostGone, is_alive
from tests.host.waiting import until


def test_the_plugin_hosts_parent_is_the_editor(sample):
    with sample.start() as host:
        assert sample.log() == [f"imported parent={host.editor_pid}", "loaded 1"]
        assert host.plugin_host_pid not in (host.editor_pid, os.getpid())


def test_quitting_calls_on_exit_without_the_api_and_not_plugin_unloaded(sample):
    with sample.start() as host:
        pids = host.editor_pid, host.plugin_host_pid
        host.quit()
        assert not any(map(is_alive, pids))
    exits = [line for line in sample.log() if line.startswith("exit")]
    assert len(exits) == 1
    assert not exits[0].split()[1].isdigit(), "the API must be gone when on_exit is called"
    assert not any(line.startswith("unloaded") for line in sample.log())


def test_killing_the_editor_calls_nothing(sample):
    with sample.start() as host:
        pids = host.editor_pid, host.plugin_host_pid
        host.kill()
        assert not any(map(is_alive, pids))
        with pytest.raises(HostGone):
            host.evaluate("1")
    assert sample.log()[1:] == ["loaded 1"]


def test_the_plugin_host_ends_at_once_even_when_its_main_thread_is_busy(sample):
    with sample.start() as host:
        host.execute("import threading, time\nsublime.set_timeout(lambda: time.sleep(600))")
        host.kill()
        assert not is_alive(host.plugin_host_pid)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_nothing_is_left_when_the_test_that_drives_it_is_killed(sample):
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from tests.host.driver import Host\n"
        "host = Host.start(package=sys.argv[2], data=sys.argv[3], env={'SAMPLE_LOG': sys.argv[4]})\n"
        "print(host.editor_pid, host.plugin_host_pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    arguments = [sys.executable, "-c", code, launch.ROOT, sample.folder, sample.data, sample.log_path]
    driver = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    pids = [int(part) for part in driver.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(is_alive, pids))
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    until(lambda: not any(map(is_alive, pids)))


def test_a_crash_of_the_plugin_host_is_told_with_its_console(sample):
    with sample.start() as host:
        with pytest.raises(HostGone, match="last words"):
            host.execute("print('last words', flush=True)\nos._exit(9)")
        assert {"event": "exited", "code": 9} in host.events


def test_a_call_that_hangs_is_told_with_what_the_threads_are_doing(sample):
    host = sample.start()
    try:
        with pytest.raises(HostGone, match="no answer within 1 s"):
            host.call("host.execute", call_timeout=1, code="import time\ntime.sleep(30)")
        if hasattr(signal, "SIGUSR1"):
            assert "Current thread" in host.console()
    finally:
        host.kill()


def test_errors_of_plugins_and_threads_fail_the_test_that_leaves_them(sample):
    with pytest.raises(AssertionError, match="ValueError: left alone"), sample.start() as host:
        host.execute(
            "import threading\n"
            "def fail(): raise ValueError('in a thread')\n"
            "threading.Thread(target=fail).start()\n"
            "def fail_later(): raise ValueError('in a callback')\n"
            "sublime.set_timeout(fail_later)\n"
        )
        host.wait_until(lambda: len(host.errors()) == 2)
        assert sorted(error["message"].rpartition("ValueError: ")[2] for error in host.errors()) == [
            "in a callback",
            "in a thread",
        ]
        host.clear_errors()
        assert host.errors() == []
        host.execute("def fail_at_last(): raise ValueError('left alone')\nsublime.set_timeout(fail_at_last)")
        host.wait_until(host.errors)


def test_each_host_has_a_home_of_its_own(sample, monkeypatch):
    monkeypatch.setenv("GEMINI_CLI_IDE_SERVER_PORT", "1234")
    monkeypatch.setenv("TERM_PROGRAM", "vscode")
    with sample.start() as host:
        names = ["HOME", "TMPDIR", "TMP", "TEMP"]
        for path in host.evaluate(f"[os.environ[name] for name in {names}]"):
            assert path.startswith(host.data)
        assert host.evaluate("[name for name in os.environ if 'GEMINI' in name or name == 'TERM_PROGRAM']") == []
        assert host.evaluate("sublime.packages_path()") == os.path.join(host.data, "Packages")


def test_an_editor_that_cannot_start_says_why_and_leaves_nothing(sample):
    with pytest.raises(ValueError, match="there is no package at"):
        Host.start(package=os.path.join(sample.folder, "nothing"))
    with pytest.raises(HostGone, match="the editor has ended"):
        sample.start(settings={"Preferences": {"ignored_packages": 7}})

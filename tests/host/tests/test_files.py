"""Loading, saving, encodings, line endings, and what others do to files."""

from __future__ import annotations

import os

import pytest


def on_disk(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize(
    "data, text, encoding, endings",
    [
        (b"a\nb", "a\nb", "UTF-8", "Unix"),
        (b"a\r\nb\r\n", "a\nb\n", "UTF-8", "Windows"),
        (b"a\rb", "a\nb", "UTF-8", "CR"),
        (b"", "", "UTF-8", "Unix"),
        (b"\xef\xbb\xbf\xc3\xa4\n", "\u00e4\n", "UTF-8 with BOM", "Unix"),
        ("\ufeff\u00e4\r\n".encode("utf-16-le"), "\u00e4\n", "UTF-16 LE with BOM", "Windows"),
        ("\ufeffab\n".encode("utf-16-be"), "ab\n", "UTF-16 BE with BOM", "Unix"),
        (b"caf\xe9 \x81\n", "caf\u00e9 \x81\n", "Western (Windows 1252)", "Unix"),
    ],
)
def test_loading_and_saving_are_exact(bench, data, text, encoding, endings):
    if os.name == "nt" and not data:
        pytest.skip("an empty file gets the platform's line ending")
    view = bench.open("a.txt", data)
    assert (bench.text(view), view.encoding(), view.line_endings()) == (text, encoding, endings)
    assert not view.is_dirty()
    view.run_command("insert", {"characters": "x"})
    view.run_command("left_delete")
    if b"\x81" in data:
        return
    view.run_command("save")
    assert on_disk(view.file_name()) == data


def test_nul_means_hexadecimal(bench):
    view = bench.open("a.bin", b"a\x00b")
    assert view.encoding() == "Hexadecimal"
    assert bench.text(view) == "6100 62\n"
    view.run_command("save")
    assert on_disk(view.file_name()) == b"a\x00b"


def test_text_of_the_api_is_not_converted(bench):
    view = bench.open("a.txt", b"x\r\n")
    view.run_command("append", {"characters": "a\r\nb\n"})
    assert bench.text(view) == "x\na\r\nb\n"
    view.run_command("save")
    assert on_disk(view.file_name()) == b"x\r\na\r\r\nb\r\n"


def test_a_clean_buffer_is_read_again_and_keeps_its_place(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_reload(self, view): seen.append("reload")
    def on_revert(self, view): seen.append("revert")
    def on_modified(self, view): seen.append("modified")
""")
    view = bench.open("a.txt", b"one\ntwo\nthree\n")
    view.sel().clear()
    view.sel().add(8)
    view.add_regions("k", [bench.sublime.Region(8, 13)])
    bench.write("a.txt", b"zero\none\ntwo\nthree\n")
    bench.gestures.check_disk()
    assert bench.text(view) == "zero\none\ntwo\nthree\n"
    assert not view.is_dirty()
    assert view.sel()[0].b == 13
    assert view.get_regions("k") == [bench.sublime.Region(13, 18)]
    assert module.seen[0] == "reload"
    view.run_command("insert", {"characters": "mine"})
    bench.write("a.txt", b"theirs")
    bench.gestures.check_disk()
    assert "mine" in bench.text(view)
    assert view.is_dirty()
    view.run_command("revert")
    assert bench.text(view) == "theirs"
    assert not view.is_dirty()
    assert module.seen[-2:] == ["revert", "modified"]


def test_the_editor_notices_by_itself(bench):
    view = bench.open("a.txt", b"one")
    bench.write("a.txt", b"two")
    bench.scheduler.pump_until(lambda: bench.text(view) == "two")


def test_saving_tells_before_and_after(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_pre_save(self, view):
        seen.append(("pre", view.is_dirty()))
    def on_post_save(self, view):
        seen.append(("post", view.is_dirty()))
    def on_post_save_async(self, view):
        seen.append("async")
""")
    view = bench.open("a.txt", b"x")
    view.run_command("insert", {"characters": "y"})
    view.run_command("save")
    bench.settle()
    assert module.seen == [("pre", True), ("post", False), "async"]


def test_view_settings_inherit(bench):
    bench.resources.texts["Packages/User/Preferences.sublime-settings"] = '{"tab_size": 8}'
    bench.gestures.check_disk()
    view = bench.window.new_file()
    seen = []
    view.settings().add_on_change("t", lambda: seen.append(view.settings().get("tab_size")))
    assert view.settings().get("tab_size") == 8
    bench.sublime.load_settings("Preferences.sublime-settings").set("tab_size", 2)
    bench.settle()
    assert seen == [2]
    view.settings().set("tab_size", 5)
    view.settings().erase("tab_size")
    bench.settle()
    assert view.settings().get("tab_size") == 2


def test_a_broken_settings_file_is_a_complaint(bench):
    bench.resources.texts["Packages/Sample/B.sublime-settings"] = '{"a": }'
    assert bench.sublime.load_settings("B.sublime-settings").get("a") is None
    assert "B.sublime-settings" in bench.errors()[0]


def test_settings_layers(bench):
    texts = bench.resources.texts
    texts["Packages/Default/X.sublime-settings"] = '{"who": "default", "d": 1}'
    texts["Packages/Zed/X.sublime-settings"] = '{"who": "zed", "z": 1}'
    texts["Packages/User/X.sublime-settings"] = '{"who": "user"}'
    settings = bench.sublime.load_settings("X.sublime-settings")
    assert [settings.get(key) for key in ("who", "d", "z", "nope")] == ["user", 1, 1, None]
    assert settings.get("nope", 3) == 3
    with pytest.raises(KeyError):
        settings["nope"]
    settings.erase("who")
    assert settings.get("who") == "zed"
    seen = []
    settings.add_on_change("t", lambda: seen.append(settings.get("who")))
    texts["Packages/User/X.sublime-settings"] = '{"who": "again"}'
    bench.gestures.check_disk()
    bench.settle()
    settings.clear_on_change("t")
    settings.set("q", 1)
    bench.settle()
    assert seen == ["again"]


def test_mixed_line_endings_become_one(bench):
    view = bench.open("a.txt", b"a\r\nb\nc\r")
    assert bench.text(view) == "a\nb\nc\n"
    assert view.line_endings() == "Windows"
    view.set_line_endings("unix")
    view.run_command("save")
    assert on_disk(view.file_name()) == b"a\nb\nc\n"


def test_untitled_files_ask_for_a_name(bench):
    view = bench.window.new_file()
    assert view.file_name() is None
    view.run_command("insert", {"characters": "x"})
    path = os.path.join(bench.folder, "c.txt")
    bench.gestures.answer_dialog("save", path)
    view.run_command("save")
    assert view.file_name() == path
    assert on_disk(path) == b"x"


def test_a_file_that_cannot_be_written(bench):
    view = bench.open("a.txt", b"x")
    view.run_command("insert", {"characters": "y"})
    folder = os.path.join(bench.folder, "folder")
    os.mkdir(folder)
    view.retarget(folder)
    bench.gestures.answer_dialog("error")
    view.run_command("save")
    assert view.is_dirty()
    shown = bench.gestures.snapshot()["dialogs"][-1]
    assert shown["kind"] == "error"
    assert shown["scripted"]


def test_what_an_encoding_lacks_is_saved_as_utf8(bench):
    view = bench.open("a.txt", b"\xe9")
    view.run_command("append", {"characters": "\u4e2d"})
    view.run_command("save")
    assert on_disk(view.file_name()) == "\u00e9\u4e2d".encode("utf-8")
    assert view.encoding() == "UTF-8"

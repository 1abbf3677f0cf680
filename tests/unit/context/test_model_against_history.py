"""The model against an independent computation that keeps no state but the list of what happened.

The reference answers every question by reading that history again from its beginning, so it can share no bookkeeping
error with the model.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.context.model import MOST_FILES, ContextModel, Selection, exclusion
from companion.settings import Settings

BEGAN = 1_000_000
NAMES = ["/w/a", "/w/b", "/w/c", "/w/.env", "/other/d"]
VIEWS = [1, 2, 3, 4]

views = st.sampled_from(VIEWS)
names = st.sampled_from(NAMES)
events = st.lists(
    st.one_of(
        st.tuples(st.just("exists"), names, st.just("/w/real")),
        st.tuples(st.just("show"), views, names),
        st.tuples(st.just("focus"), views, names, st.integers(BEGAN - 50, BEGAN + 5000)),
        st.tuples(st.just("close"), views),
        st.tuples(st.just("reconcile"), st.dictionaries(views, names)),
        st.tuples(st.just("exists"), names, st.sampled_from(["", "/w/real", "/keys/.env"])),
        st.tuples(st.just("forget")),
    ),
    min_size=12,  # short histories reach little; the tests next door cover them
    max_size=50,
)
# What is found of each file in the end, or a history would seldom have anything to tell.
found = st.fixed_dictionaries({name: st.sampled_from(["", "/w/real", "/w/real", "/keys/.env"]) for name in NAMES})
some_settings = st.builds(
    Settings,
    context_exclude=st.sampled_from([(), (".env",)]),
    workspace_trust=st.sampled_from([None, True, False]),
)


def plain(history):
    """The history in the four plain events show, focus, close and exists (and forget), with reconcile taken apart."""
    result = []
    for event in history:
        if event[0] != "reconcile":
            result.append(event)
            continue
        result.extend(("show", view, name) for view, name in event[1].items())
        result.extend(("close", view) for view in shown(result) if view not in event[1])
    return result


def shown(history):
    result = {}
    for event in history:
        if event[0] in ("show", "focus"):
            result[event[1]] = event[2]
        elif event[0] == "close":
            result.pop(event[1], None)
    return result


def expected_stamps(history):
    """Name to time, by following each file from the moment that it was opened."""
    stamps, newest = {}, BEGAN
    for index, event in enumerate(history):
        before = shown(history[:index])
        after = shown(history[: index + 1])
        if event[0] in ("show", "focus"):
            view, name = event[1], event[2]
            if before.get(view) != name:
                inherited = stamps[before[view]] if view in before else BEGAN - 1
                if before.get(view) in after.values():  # two files come of one, and only one can be the newest
                    is_active = view == expected_active_view(history[:index])
                    newest += 1 if is_active else 0
                    inherited = newest if is_active else inherited - 1
                stamps[name] = max(inherited, stamps.get(name, inherited))
        if event[0] == "focus":
            newest = max(event[3], newest + 1)
            stamps[event[2]] = newest
        stamps = {name: stamp for name, stamp in stamps.items() if name in after.values()}
    return stamps


def expected_active_view(history):
    """The view last focused, until it is closed and no other shows its file."""
    active_view = None
    for index, event in enumerate(history):
        if event[0] == "focus":
            active_view = event[1]
        elif event[0] == "close" and event[1] == active_view:
            name = shown(history[:index])[active_view]
            clones = [view for view, other in shown(history[: index + 1]).items() if other == name]
            active_view = max(clones) if clones else None
    return active_view


def expected_active(history):
    """The name of the active file."""
    return shown(history).get(expected_active_view(history))


def expected_existing(history):
    """The names known to exist, and where they lead to: said so while open, not closed, forgotten or denied since."""
    known = {}
    for index, event in enumerate(history):
        open_names = set(shown(history[: index + 1]).values())
        if event[0] == "exists" and event[1] in open_names:
            known[event[1]] = event[2]
        elif event[0] == "forget":
            known.clear()
        known = {name: real for name, real in known.items() if name in open_names}
    return {name: real for name, real in known.items() if real}


@settings(max_examples=300)
@given(events, found, some_settings, st.booleans())
def test_the_payload_equals_what_the_history_says(history, found, current, paused):
    history = [*history, *(("exists", name, real) for name, real in found.items())]
    model = ContextModel(BEGAN)
    for event in history:
        if event[0] == "show":
            model.show(event[1], event[2])
        elif event[0] == "focus":
            model.focus(event[1], event[2], event[3])
        elif event[0] == "close":
            model.close(event[1])
        elif event[0] == "reconcile":
            model.reconcile(event[1])
        elif event[0] == "exists":
            model.set_found({event[1]: event[2]})
        else:
            model.forget_found()

    history = plain(history)
    stamps, active, existing = expected_stamps(history), expected_active(history), expected_existing(history)
    excluded = exclusion(current.context_exclude)
    candidates = [name for name in stamps if name in existing and not excluded(name)]
    candidates = [name for name in candidates if not excluded(existing[name])]
    payload = model.payload(current, Selection(2, 3, "text"), paused=paused)
    state = payload["workspaceState"]
    listed = state["openFiles"]

    assert model.active_path == active
    assert sorted(model.paths()) == sorted(stamps)
    assert state.get("isTrusted") is current.workspace_trust
    if paused:
        assert listed == []
        return
    assert [file["timestamp"] for file in listed] == sorted((stamps[name] for name in candidates), reverse=True)[
        :MOST_FILES
    ]
    for file in listed:
        assert file["path"] in candidates
        assert file["timestamp"] == stamps[file["path"]]
        assert file["isActive"] is (file["path"] == active)
        if file["path"] == active:
            assert file["cursor"] == {"line": 2, "character": 3}
            assert file["selectedText"] == "text"
        else:
            assert "cursor" not in file
            assert "selectedText" not in file
    assert len({file["path"] for file in listed}) == len(listed)
    if active in candidates:
        # Clients look at the first file alone, and only if it is the active one.
        assert listed[0]["path"] == active
        assert all(file["timestamp"] < listed[0]["timestamp"] for file in listed[1:])

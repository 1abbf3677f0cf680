"""Which way a review takes, and when it counts as sent."""

from __future__ import annotations

import pytest

from companion.agents.hooks import Happening, HookEvent
from companion.endpoint.delivery import (
    SUBMITTED,
    Delivery,
    DeliveryWay,
    Doing,
    Passage,
    way_for,
)

TEXT = "I reviewed your changes: 1 comment.\n\nfile.py:3\n```\n\tx < 2\n```\nkeep it \u00fc small\n"
ANSWERED = sorted(set(DeliveryWay) - SUBMITTED, key=lambda way: way.name)


@pytest.mark.parametrize(
    ("doing", "lacking", "way"),
    [
        (Doing.WRITE_HELD, (), DeliveryWay.REJECTION),
        (Doing.END_HELD, (), DeliveryWay.END_OF_TURN),
        (Doing.WORKS, (), DeliveryWay.TOOL_RESULT),
        (Doing.IDLE, (), DeliveryWay.QUEUE),
        (Doing.IDLE, (DeliveryWay.QUEUE,), DeliveryWay.TERMINAL),
        (Doing.IDLE, (DeliveryWay.QUEUE, DeliveryWay.TERMINAL), DeliveryWay.PROMPT),
    ],
)
def test_the_way_is_chosen_by_what_the_agent_does_and_can(doing, lacking, way):
    assert way_for(doing, lacking) is way


class On:
    """A review on its way, and what the user hears of it."""

    def __init__(self, way, handed_over=True):
        self.heard = []
        self.delivery = Delivery(
            "Gemini CLI", TEXT, 1, lambda passage, sentence: self.heard.append((passage, sentence))
        )
        self.delivery.way = way
        if handed_over:
            self.delivery.go(Passage.HANDED_OVER)

    def tell(self, happening, prompt="", subagent="", ends_turn=False):
        event = HookEvent(happening, "s", "/w", "", prompt=prompt, subagent=subagent)
        self.delivery.hear(event, ends_turn)
        return self.delivery.passage


@pytest.mark.parametrize("way", ANSWERED, ids=lambda way: way.name)
def test_an_answer_has_arrived_once_the_agent_goes_on(way):
    for happening, ends in ((Happening.TOOL_BEGINS, False), (Happening.GOES_ON, False), (Happening.TURN_ENDED, True)):
        on = On(way)
        assert on.tell(Happening.TOOL_ENDED) is Passage.HANDED_OVER, "it may be of another call"
        assert on.tell(Happening.TOOL_BEGINS, subagent="a") is Passage.HANDED_OVER
        assert on.tell(Happening.PROMPT, TEXT) is Passage.HANDED_OVER, "as which an end of a turn comes back"
        assert on.tell(happening, ends_turn=ends) is Passage.SENT
        assert on.heard[-1] == (Passage.SENT, "Gemini CLI has your 1 comment")


@pytest.mark.parametrize("way", ANSWERED, ids=lambda way: way.name)
def test_what_a_stopped_agent_has_not_read_waits_again(way):
    for event in ((Happening.PROMPT, "something else"), (Happening.TURN_ENDED,)):
        on = On(way)
        assert on.tell(*event) is Passage.WAITS
        assert on.delivery.way is DeliveryWay.TOOL_RESULT


@pytest.mark.parametrize("way", sorted(SUBMITTED, key=lambda way: way.name), ids=lambda way: way.name)
@pytest.mark.parametrize(
    "prompt", [TEXT, "half of " + TEXT, TEXT.replace("\t", "    ") + " ", f"<pasted_content>\n{TEXT}</pasted_content>"]
)
def test_what_becomes_a_prompt_has_arrived_with_that_prompt(way, prompt):
    on = On(way)
    for happening in (Happening.TOOL_BEGINS, Happening.TURN_ENDED, Happening.GOES_ON):
        assert on.tell(happening, ends_turn=True) is Passage.HANDED_OVER
    assert on.tell(Happening.PROMPT, prompt) is Passage.SENT


def test_another_prompt_shows_a_paste_was_not_sent_but_not_a_queued_text():
    assert On(DeliveryWay.QUEUE).tell(Happening.PROMPT, "go") is Passage.HANDED_OVER
    assert On(DeliveryWay.TERMINAL).tell(Happening.PROMPT, "go") is Passage.WAITS
    assert On(DeliveryWay.TERMINAL).tell(Happening.PROMPT, "[Pasted text #1 +10 lines]") is Passage.SENT


def test_an_arrived_text_is_not_returned_and_a_returned_one_never_arrives():
    on = On(DeliveryWay.TOOL_RESULT)
    on.tell(Happening.TOOL_BEGINS)
    assert not on.delivery.go(Passage.RETURNED)
    back = On(DeliveryWay.TOOL_RESULT)
    assert back.delivery.go(Passage.RETURNED)
    assert back.tell(Happening.TOOL_BEGINS) is Passage.RETURNED
    assert (on.delivery.status, back.delivery.status) == ("", "")

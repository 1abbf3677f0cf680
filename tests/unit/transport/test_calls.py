"""Tools that take their time, over real connections: side by side, taken back, and left by a broken connection."""

from __future__ import annotations

import asyncio
import gc
import json

import pytest

from companion.protocol.tools import EMPTY, Cancellation, text_result
from tests.support.held import LONG, long_texts


class User:
    """Whoever decides some time later, and hears when nobody waits for that any more."""

    def __init__(self):
        self.decisions = []
        self.cancelled = []

    async def call(self, call):
        decision = asyncio.get_running_loop().create_future()
        self.decisions.append(decision)
        if call.name == "openDiff":
            call.on_cancelled(lambda reason: self.note(decision, reason))
        return await decision

    def note(self, decision, reason):
        self.cancelled.append(reason)
        decision.set_result(text_result("too late"))


def request(request_id, name="openDiff"):
    arguments = {"filePath": "/a", "newContent": "x"} if name == "openDiff" else {"filePath": "/a"}
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


@pytest.fixture
def user():
    return User()


def test_the_calls_of_a_batch_run_side_by_side(run, user):
    async def scenario(served):
        async with served.client(revision="2025-03-26") as client:
            await client.connect()
            sending = asyncio.ensure_future(client.send([request(number) for number in range(3)]))
            await served.until(lambda: len(user.decisions) == 3)
            for decision in reversed(user.decisions):
                decision.set_result(EMPTY)
            _, answers, _ = await sending
            assert [answer["id"] for answer in answers] == [2, 1, 0], "in the order in which they ended"

    run(scenario, call_tool=user.call)


def test_a_call_that_waits_holds_its_message_no_longer(run, user):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            asked = request(1)
            asked["params"]["arguments"]["newContent"] = "x" * 2 * LONG
            body = json.dumps(asked).encode()
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(served.head(Content_Length=str(len(body)), Mcp_Session_Id=client.session_id) + body)
            del asked, body
            await served.until(lambda: user.decisions)
            assert long_texts() == []
            user.decisions[0].set_result(EMPTY)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            writer.close()

    run(scenario, call_tool=user.call)


def test_a_connection_that_breaks_takes_all_calls_of_its_batch_back(run, user):
    async def scenario(served):
        async with served.client(revision="2025-03-26") as client:
            await client.connect()
        body = json.dumps([request(1), request(2)]).encode()
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        head = served.head(Content_Length=str(len(body)), Mcp_Session_Id=client.session_id)
        writer.write(head + body)
        await served.until(lambda: len(user.decisions) == 2)
        writer.close()
        await served.until(lambda: len(user.cancelled) == 2)
        assert user.cancelled == [Cancellation.CONNECTION_LOST] * 2
        await served.until(lambda: not served.server._running)

    run(scenario, call_tool=user.call)


def test_a_call_that_is_taken_back_ends_without_an_answer(run, user):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            sending = asyncio.ensure_future(client.send(request(7)))
            await served.until(lambda: bool(user.decisions))
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
            assert (await client.send(cancelled))[0] == 202
            status, answer, _ = await sending
            assert (status, answer) == (202, None)
            assert user.cancelled == [Cancellation.BY_CLIENT]
            assert await client.request("ping") == {}

    run(scenario, call_tool=user.call)


@pytest.mark.parametrize(("name", "reasons"), [("openDiff", [Cancellation.CONNECTION_LOST]), ("closeDiff", [])])
def test_a_connection_that_breaks_is_told_to_who_wants_to_know(run, user, name, reasons):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
        body = json.dumps(request(7, name)).encode()
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(served.head(Content_Length=str(len(body)), Mcp_Session_Id=client.session_id) + body)
        await served.until(lambda: bool(user.decisions))
        writer.close()
        if reasons:
            await served.until(lambda: bool(user.cancelled))
        else:
            await asyncio.sleep(0.1)
            user.decisions[0].set_result(EMPTY)
        assert user.cancelled == reasons
        await served.until(lambda: not served.server._running)

    run(scenario, call_tool=user.call)


def test_a_tool_whose_work_is_given_up_is_answered(run):
    """As when the editor's main thread takes no more work."""

    async def give_up(call):
        raise asyncio.CancelledError

    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            _, answer, _ = await client.send(request(7))
            assert answer["error"]["code"] == -32603

    run(scenario, call_tool=give_up)


def test_a_stop_answers_a_call_that_is_under_way(run, user):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            sending = asyncio.ensure_future(client.send(request(7, "closeDiff")))
            await served.until(lambda: bool(user.decisions))
            await served.server.stop(seconds=0.2)
            _, answer, _ = await sending
            assert answer["id"] == 7
            assert answer["result"]["isError"]
            assert user.decisions[0].cancelled()
            assert not served.server._running

    run(scenario, call_tool=user.call)


def test_a_stop_waits_for_a_call_that_ends_in_time(run, user):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            sending = asyncio.ensure_future(client.send(request(7, "closeDiff")))
            await served.until(lambda: bool(user.decisions))
            stopping = asyncio.ensure_future(served.server.stop(seconds=5))
            await asyncio.sleep(0)
            user.decisions[0].set_result(text_result("in time"))
            _, answer, _ = await sending
            assert answer["result"]["content"][0]["text"] == "in time"
            await stopping

    run(scenario, call_tool=user.call)


def test_a_call_that_has_ended_leaves_nothing_to_collect(run):
    async def at_once(call):
        return EMPTY

    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            gc.collect()
            gc.disable()
            try:
                for number in range(20):
                    await client.send(request(number))
                left = [each for each in gc.get_objects() if type(each).__name__ == "Exchange"]
            finally:
                gc.enable()
            assert left == []

    run(scenario, call_tool=at_once)


def test_the_only_call_of_a_request_takes_no_task_more(run):
    tasks = []

    async def look(call):
        tasks.append(asyncio.current_task())
        return EMPTY

    async def scenario(served):
        before = served.server._react
        handlers = []

        def react(*args):
            handlers.append(asyncio.current_task())
            return before(*args)

        served.server._react = react
        async with served.client() as client:
            await client.connect()
            await client.send(request(7))
        assert tasks[0] in handlers

    run(scenario, call_tool=look)

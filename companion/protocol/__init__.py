"""The server side of the Model Context Protocol as a pure state machine: messages in, reactions out.

Nothing here knows sockets, event loops, threads, Sublime Text or aiohttp. Time is passed in, in seconds. A server
passes what it receives to `Protocol`, sends the reply and performs the events that it gets back. Every rule can
therefore be tested without a network.

One file per idea:

* messages: `json_text` (bytes to values and back), `jsonrpc` (messages), `revisions` (differences between the published
  revisions), `metadata` (what clients say about themselves);
* tools: `tools` and `arguments` (what can be called), `catalogue` (what the server says about itself), `methods` (what
  each request does), `exchanges` (what is being answered, and the calls under way);
* delivery: `outbox` (messages that wait), `sessions` (one client, whatever carries its messages), `session_registry`
  (all clients), `streams` (what HTTP adds: event streams, and messages that are sent again);
* common: `limits` (every bound), `serving` (what a server is asked to serve), `effects` (what it must do);
* `core` brings them together.
"""

"""The server side of the Model Context Protocol as a pure state machine: messages in, reactions out.

Nothing here knows sockets, event loops, threads, Sublime Text or aiohttp. Time is passed in, in seconds. A transport
passes each request to `Protocol`, sends the reply and performs the events that it gets back. Every rule can therefore
be tested without a network.

One file per idea:

* messages: `json_text` and `json_pieces` (bytes to values and back), `jsonrpc` (messages), `revisions` (differences
  between the published revisions), `metadata` (headers and `_meta` of the stateless revision);
* tools: `tools` and `arguments` (what can be called), `catalogue` (what the server says about itself), `methods` (what
  each request does), `calls` (the calls under way), `exchanges` (a POST that is being answered);
* delivery: `notices` (a notification in each dialect), `outbox` (messages that wait), `streams` (messages that were
  sent), `sessions` (one client), `session_registry` (all clients);
* common: `limits` (every bound), `effects` (what the transport must do), `transitions` (state tables);
* `core` brings them together.
"""

"""The Model Context Protocol, server side, as a pure state machine: messages in, reactions out.

Nothing here knows a socket, an event loop, a thread, Sublime Text or aiohttp; time is handed in as seconds. A
transport feeds `Protocol` with requests, gives the reply and performs the events that it returns, so every rule can be
tested without a network.
One file per idea: `json_text` (bytes and values), `jsonrpc` (messages), `revisions` (what differs between published
revisions), `metadata` (the stateless revision's headers and `_meta`), `tools` and `arguments` (what can be called),
`catalogue` (what the server says about itself), `methods` (what each request does), `exchanges` (one POST being
answered), `calls` (the tools that run), `notices` (one notification, many dialects), `outbox` (what waits), `streams`
(what was sent), `receipts` (what was read), `sessions` (one client), `presence` (all of them), `limits` (every bound),
`effects` (replies and events: what the transport must do), `transitions` (tables of states), and `core`, which brings
them together.
"""

"""The server side of the Model Context Protocol as a pure state machine: messages in, reactions out.

Nothing here knows sockets, event loops, threads, Sublime Text or aiohttp. Time is passed in, in seconds. A server
passes what it receives to `Protocol`, sends the reply and performs the events that it gets back. `README.md` beside
this file says which file to open for what.
"""

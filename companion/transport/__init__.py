"""The transport: serves the protocol over HTTP with aiohttp. It decides nothing that the protocol can decide.

Importing this package imports nothing. `transport.server` imports aiohttp, which is slow: never import it on the main
thread.
"""

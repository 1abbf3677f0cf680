"""The aiohttp shell around the protocol: sockets, HTTP and event streams, and nothing the protocol could decide itself.

Importing this package imports nothing; `transport.server` imports aiohttp, which takes long, so import it off the main
thread.
"""

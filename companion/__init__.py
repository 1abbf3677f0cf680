"""The companion itself: protocol, transport, context, reviews and discovery.

Rule: imports point inward only. `plugin.py` imports `startup`, and a worker thread `application`, which imports the
parts. The pure parts (protocol, comparison, the models) import neither `sublime` nor `aiohttp`.
"""

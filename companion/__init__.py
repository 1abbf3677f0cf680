"""The companion itself: protocol, transport, context, reviews and discovery.

Rule of the house: imports point inward only. `plugin.py` imports `application`, that imports the parts, and the pure
parts (protocol, comparison, the models) import neither `sublime` nor `aiohttp`.
"""

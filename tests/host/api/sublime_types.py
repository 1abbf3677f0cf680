"""The names that the API's annotations use."""

from typing import Any, Dict, List, Optional, Tuple, Union

DIP = float
Vector = Tuple[float, float]
Point = int
Value = Union[bool, str, int, float, List[Any], Dict[str, Any], None]
CommandArgs = Optional[Dict[str, Value]]
Kind = Tuple[int, str, str]
Event = Dict[str, Any]
CompletionValue = Any

"""What the module `sublime` has since build 4201. The default of `max_size` is not published; nobody may rely on it."""

from __future__ import annotations

import os

from ..model.host import current
from ..model.values import as_text
from ._gate import gate


class FileTooLargeError(FileNotFoundError):
    """A resource is larger than asked for."""


FileTooLargeError.__module__ = "sublime"


def lib_path():
    return os.path.join(os.path.dirname(current().resources.packages_path()), "Lib")


def load_binary_resource(name, max_size=-1):
    resources, name = current().resources, as_text(name)
    try:
        content = resources.load_binary_resource(name)
    except FileNotFoundError:
        if any(found.startswith(name + "/") for found in resources.find_resources("*")):
            raise IsADirectoryError('resource "%s" is a directory' % name) from None
        raise
    if 0 <= max_size < len(content):
        raise FileTooLargeError('resource "%s" is too large' % name)
    return content


def load_resource(name, max_size=-1):
    return load_binary_resource(name, max_size).decode("utf-8").replace("\r\n", "\n")


NAMES = ["FileTooLargeError", "lib_path", "load_binary_resource", "load_resource"]
for _function in (lib_path, load_binary_resource, load_resource):
    _function.__module__ = "sublime"
    globals()[_function.__name__] = gate(_function, "sublime." + _function.__name__)

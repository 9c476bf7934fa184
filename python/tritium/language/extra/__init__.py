"""`tl.extra`: the device library, and what only one kind of device has."""

from . import cuda, libdevice

__all__ = ["cuda", "libdevice"]

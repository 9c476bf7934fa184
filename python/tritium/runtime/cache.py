"""`triton.runtime.cache`: files of programs that keep what they have made, by keys.

Compiled kernels are not among them: the compiler keeps each as one file of its own in the same
folder (`tritium cache ls`).
"""

import abc
import base64
import json
import os
import pathlib
import threading

from .. import knobs
from ..compiler import triton_key

__all__ = ["CacheManager", "FileCacheManager", "RemoteCacheBackend", "RedisRemoteCacheBackend",
           "RemoteCacheManager", "get_cache_manager", "get_dump_manager", "get_override_manager",
           "default_cache_dir", "default_dump_dir", "default_override_dir", "triton_key"]


def default_cache_dir():
    """The folder that TRITON_CACHE_DIR names, or the usual one."""
    return knobs.cache.dir


def default_dump_dir():
    """The folder that TRITON_DUMP_DIR names, or the usual one."""
    return knobs.cache.dump_dir


def default_override_dir():
    """The folder that TRITON_OVERRIDE_DIR names, or the usual one."""
    return knobs.cache.override_dir


class CacheManager(abc.ABC):
    """Files that belong to one key.

    Args:
        key: text that can name a folder.
        override, dump: whether the files are those that override what is compiled, or dumps.
    """

    def __init__(self, key, override=False, dump=False):
        pass

    @abc.abstractmethod
    def get_file(self, filename):
        """The path of a file; None if there is none."""

    @abc.abstractmethod
    def put(self, data, filename, binary=True):
        """Writes `data`, bytes or what `str` makes of it; the path."""

    @abc.abstractmethod
    def get_group(self, filename):
        """What `put_group` wrote under this name: a dict, file name -> path; None if nothing."""

    @abc.abstractmethod
    def put_group(self, filename, group):
        """Writes a dict, file name -> path, under a name; the path of its file."""


class FileCacheManager(CacheManager):
    """Files in a folder named by the key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        self.cache_dir = os.path.join(
            default_dump_dir() if dump else default_override_dir() if override
            else default_cache_dir(), key)
        self.lock_path = None if override else os.path.join(self.cache_dir, "lock")

    def has_file(self, filename):
        return os.path.exists(os.path.join(self.cache_dir, filename))

    def get_file(self, filename):
        return os.path.join(self.cache_dir, filename) if self.has_file(filename) else None

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        group = json.loads(pathlib.Path(path).read_text())["child_paths"]
        return {name: path for name, path in group.items() if os.path.exists(path)}

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)

    def put(self, data, filename, binary=True):
        if not isinstance(data, bytes):
            data = str(data).encode()
        os.makedirs(self.cache_dir, exist_ok=True)
        # Readers find the whole file or none, whoever else writes it.
        path = os.path.join(self.cache_dir, filename)
        unfinished = f"{path}.{os.getpid()}.{threading.get_ident()}.tmp"
        pathlib.Path(unfinished).write_bytes(data)
        os.replace(unfinished, path)
        return path


class RemoteCacheBackend(abc.ABC):
    """A storage of files that several machines have in common.

    Args:
        key: of the manager whose files it keeps.
    """

    def __init__(self, key):
        pass

    @abc.abstractmethod
    def get(self, filenames):
        """A dict, file name -> bytes, of those of the files that there are."""

    @abc.abstractmethod
    def put(self, filename, data):
        """Keeps the bytes of a file."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Files in a Redis server, as `knobs.redis` says; Python's redis must be there."""

    def __init__(self, key):
        import redis

        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)
        self._name = knobs.redis.key_format
        self._key = key

    def _key_of(self, filename):
        return self._name.format(key=self._key, filename=filename)

    def get(self, filenames):
        found = self._redis.mget([self._key_of(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._redis.set(self._key_of(filename), data)


class RemoteCacheManager(CacheManager):
    """Files in the `RemoteCacheBackend` that `knobs.cache.remote_manager_class` names, with
    copies in a folder. Files that override what is compiled, and dumps, are in the folder alone."""

    def __init__(self, key, override=False, dump=False):
        chosen = knobs.cache.remote_manager_class
        if chosen is None:
            raise ValueError("RemoteCacheManager needs a storage: set "
                             "knobs.cache.remote_manager_class to a RemoteCacheBackend")
        self._backend = None if override or dump else chosen(key)
        self._files = FileCacheManager(key, override=override, dump=dump)

    def get_file(self, filename):
        path = self._files.get_file(filename)
        if path is None and self._backend is not None:
            data = self._backend.get([filename]).get(filename)
            path = None if data is None else self._files.put(data, filename)
        return path

    def put(self, data, filename, binary=True):
        path = self._files.put(data, filename, binary)
        if self._backend is not None:
            self._backend.put(filename, pathlib.Path(path).read_bytes())
        return path

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        # Paths are another machine's, names are not.
        names = json.loads(pathlib.Path(path).read_text())["child_paths"]
        found = {name: self.get_file(os.path.basename(at)) for name, at in names.items()}
        return {name: path for name, path in found.items() if path is not None}

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


def _folder(key):
    """The name of the folder for a key: its hexadecimal digits in base 32, as Triton has it."""
    try:
        return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")
    except ValueError:
        return key


def get_cache_manager(key):
    """The manager for a key, hexadecimal digits of a hash: of `knobs.cache.manager_class`."""
    return (knobs.cache.manager_class or FileCacheManager)(_folder(key))


def get_override_manager(key):
    """The same, of files that override what is compiled."""
    return (knobs.cache.manager_class or FileCacheManager)(_folder(key), override=True)


def get_dump_manager(key):
    """The same, of dumps."""
    return (knobs.cache.manager_class or FileCacheManager)(_folder(key), dump=True)

"""Who includes whom, against the table of rooms in docs/architecture.md."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/architecture.md"
INCLUDE = re.compile(r'#include "tritium/([^"]+)"')
ALL = "all of the above but"


def rooms():
    """By room: the rooms that it may include, as the page has them."""
    allowed = {}
    for line in (ROOT / PAGE).read_text().split("## Rooms")[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`([^`]+)`", cells[0])
        if len(cells) != 3 or not names:
            continue
        others = set(re.findall(r"`([^`]+)`", cells[2]))
        if cells[2].startswith(ALL):
            others = set(allowed) - others
        for name in names:
            allowed[name] = others | {name}
    return allowed


def roomOf(path, allowed):
    """The longest room that `path`, below lib or include/tritium, lies in."""
    parts = pathlib.PurePosixPath(path).parent.parts
    for end in range(len(parts), 0, -1):
        if "/".join(parts[:end]) in allowed:
            return "/".join(parts[:end])
    return None


def problems(files):
    """What of `files`, by their paths in the tree, includes what its room may not."""
    allowed = rooms()
    for name in files:
        for root in ("lib/", "include/tritium/"):
            if not name.startswith(root) or not name.endswith((".h", ".hpp", ".cpp")):
                continue
            room = roomOf(name.removeprefix(root), allowed)
            if room is None:
                if "/" in name.removeprefix(root):
                    yield f"{name}: lies in no room of {PAGE}"
                continue
            for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                target = found and roomOf(found.group(1), allowed)
                if target and target not in allowed[room]:
                    yield f"{name}:{number}: {room} may not include {target} ({PAGE})"

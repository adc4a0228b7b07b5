# SPDX-License-Identifier: Apache-2.0
"""The headers' rooms: every include goes to the same room or to one further down."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "include/finegrain"

# What the headers of a room may include beside their own room's. Only rooms of lines above: so no
# arrow goes up. Relics and pools do not know each other; hybrid alone knows both rooms' inside.
MAY_INCLUDE = {
    "core": "",
    "wait": "core",
    "thread": "core",
    "task": "core",
    "host": "core thread",
    "controller": "core",
    "trace": "core thread",
    "queue": "core wait task",
    "balance": "core wait task queue",
    "relic": "core wait thread task host trace controller",
    "pool": "core wait thread task host trace queue balance controller",
    "algorithm": "core",
    "algorithm/relic": "core task relic controller algorithm",
    "algorithm/pool": "core task pool controller algorithm",
    "algorithm/par": "core task pool controller algorithm algorithm/pool",
    "hybrid": "task host relic pool algorithm/relic algorithm/pool",
    "execution": "core task controller relic pool algorithm/pool",
    "graph": "core wait task trace controller relic pool",
    "pipeline": "core task controller relic pool graph",
}


def room_of(header: Path) -> str:
    return str(header.parent)


def includes(include: Path) -> dict[tuple[str, str], list[str]]:
    """Every pair of rooms of which the first includes the second; each include as `from -> to`."""
    found: dict[tuple[str, str], list[str]] = {}
    for file in sorted(include.glob("*/**/*.hpp")):
        header = file.relative_to(include)
        for name in re.findall(r'#include "finegrain/(.+/.+)"', file.read_text()):
            rooms = (room_of(header), room_of(Path(name)))
            if rooms[0] != rooms[1]:
                found.setdefault(rooms, []).append(f"{header} -> {name}")
    return found


def forbidden(include: Path) -> list[str]:
    allowed = {(room, used) for room, all_used in MAY_INCLUDE.items() for used in all_used.split()}
    drawn = includes(include)
    return [each for rooms in sorted(set(drawn) - allowed) for each in drawn[rooms]]


def test_rooms_use_rooms_above_them_in_the_table() -> None:
    above: set[str] = set()
    for room, used in MAY_INCLUDE.items():
        assert set(used.split()) <= above, room
        above.add(room)


def test_no_include_goes_another_way() -> None:
    assert forbidden(INCLUDE) == []


def test_every_arrow_is_needed() -> None:
    drawn = {room: {b for a, b in includes(INCLUDE) if a == room} for room in MAY_INCLUDE}
    assert drawn == {room: set(used.split()) for room, used in MAY_INCLUDE.items()}


def test_an_include_that_goes_up_is_found(tmp_path: Path) -> None:
    for room, name in (("relic", "pool/pool.hpp"), ("pool", "task/outcome.hpp")):
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.hpp").write_text(f'#include "finegrain/{name}"\n')
    assert forbidden(tmp_path) == ["relic/a.hpp -> pool/pool.hpp"]


def test_no_header_includes_itself_by_a_detour() -> None:
    uses = {
        str(file.relative_to(INCLUDE)): re.findall(r'#include "finegrain/(.+?)"', file.read_text())
        for file in INCLUDE.rglob("*.hpp")
    }
    seen: set[str] = set()

    def look(header: str, way: tuple[str, ...]) -> None:
        assert header not in way, " -> ".join((*way, header))
        if header not in seen:
            for used in uses.get(header, []):
                look(used, (*way, header))
            seen.add(header)

    for header in uses:
        look(header, ())


def test_one_header_of_host_asks_which_system_it_is() -> None:
    names = re.compile(r"__linux__|__APPLE__|_WIN32|__unix__")
    asking = [file.name for file in INCLUDE.glob("host/*.hpp") if names.search(file.read_text())]
    assert asking == ["system.hpp"]


def test_the_walks_lead_to_functions_that_are_there() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    walks = page.partition("## Walks")[2].partition("\n## ")[0]
    steps = re.findall(r"`([\w/]+\.[hc]pp)`:\s+((?:`\w+`(?:,\s+)?)+)", walks)
    assert len(steps) > 45
    for file, names in steps:
        text = (ROOT / file if file.startswith("src/") else INCLUDE / file).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\(", text), f"{file}: {name}"

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
    "mpi": "core host pool algorithm/pool",
}

# How often a file asks which system it is compiled for, by the preprocessor. A new port goes into a
# file of its own, chosen in host/system.hpp; what it needs elsewhere is counted here.
ASKS_FOR_A_SYSTEM = {
    "core/atomic.hpp": 3,
    "core/cache_line.hpp": 1,
    "core/environment.hpp": 3,
    "core/wasm_atomic.hpp": 1,
    "finegrain.h": 2,
    "host/system.hpp": 4,
    "thread/fork.hpp": 3,
    "thread/no_cancellation.hpp": 2,
    "thread/scheduling.hpp": 6,
    "thread/service_thread.hpp": 15,
    "thread/this_thread.hpp": 7,
    "trace/trace.hpp": 8,
    "trace/trace_file.hpp": 2,
    "wait/asymmetric_fence.hpp": 4,
    "wait/futex.hpp": 2,
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


def asking(folder: Path) -> dict[str, int]:
    """The files below `folder` that ask for a system, and how often; a line counts once."""
    systems = r"_WIN32|_WIN64|__linux__|__APPLE__|__unix__|__EMSCRIPTEN\w*__|__\w+BSD__"
    asks = re.compile(rf"^[ \t]*#[ \t]*(?:el)?if.*\b(?:{systems})\b", re.MULTILINE)
    counts = {
        str(file.relative_to(folder)): len(asks.findall(file.read_text()))
        for file in folder.rglob("*")
        if file.suffix in {".h", ".hpp", ".c", ".cpp"}
    }
    return {file: count for file, count in counts.items() if count != 0}


def test_few_files_ask_for_a_system() -> None:
    assert asking(INCLUDE) == ASKS_FOR_A_SYSTEM
    for folder in ("src", "tools", "examples", "docs/code"):
        assert asking(ROOT / folder) == {}, folder


def test_each_way_to_ask_for_a_system_is_found(tmp_path: Path) -> None:
    ways = (
        "#ifdef _WIN32\n#elif defined(__APPLE__) // why\n#endif\n# if !defined(__unix__)\n#endif\n"
    )
    no_ways = "#if defined(MY_WIN32X)\n// not on _WIN32\n#endif\n#include <__linux__.h>\n"
    (tmp_path / "asks.hpp").write_text(ways)
    (tmp_path / "asks_not.cpp").write_text(no_ways)
    assert asking(tmp_path) == {"asks.hpp": 3}


def test_the_walks_lead_to_functions_that_are_there() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    walks = page.partition("## Walks")[2].partition("\n## ")[0]
    steps = re.findall(r"`([\w/]+\.[hc]pp)`:\s+((?:`\w+`(?:,\s+)?)+)", walks)
    assert len(steps) > 45
    for file, names in steps:
        text = (ROOT / file if file.startswith("src/") else INCLUDE / file).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\(", text), f"{file}: {name}"

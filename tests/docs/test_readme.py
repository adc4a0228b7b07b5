"""What the README shows is what is built and tested."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_program_is_the_example() -> None:
    programs = re.findall(r"```cpp\n(.*?)```", README, flags=re.DOTALL)
    assert programs == [(ROOT / "examples/two_branches.cpp").read_text()]


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"\bmake ([a-z]+)\b", README))
    defined = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert targets
    assert targets <= defined

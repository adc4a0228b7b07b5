# SPDX-License-Identifier: Apache-2.0
"""What is measured."""

NAME = "handoff"
TITLE = "the round trip of an empty task, and the cost of one in a burst, over the floor"
HEADING = "The way of a task to the other thread and back"
EMPTY = "empty"
BURSTS = (2, 4, 8, 16, 32, 64, 128)  # 128: what the paper's queue holds
CASES = (EMPTY, *(f"burst-{size}" for size in BURSTS))
# One line, no pause: what every row is a multiple of.
FLOOR = "floor-one-line"
FLOOR_POLICY = "spin"
RELIC = "relic"
SHARE_BURST = "burst-64"  # whose task is compared with the round trip


def tasks_of(case: str) -> int:
    """Returns how many tasks are submitted before a wait."""
    return 1 if case == EMPTY else int(case.removeprefix("burst-"))

# SPDX-License-Identifier: Apache-2.0
"""What is built here runs on the oldest of its architecture.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import pytest
from outside import BUILD, PRINTED, run

OLDEST = "Opteron_G1"  # of 2003: no SSE3


@pytest.mark.parametrize(
    ("program", "printed"),
    [("two_branches", PRINTED), ("two_branches_c", PRINTED), ("coarse_and_fine", "499999500000\n")],
)
def test_runs_on_the_oldest_x86_64(program: str, printed: str) -> None:
    assert run(["qemu-x86_64", "-cpu", OLDEST, BUILD / "examples" / program]) == printed

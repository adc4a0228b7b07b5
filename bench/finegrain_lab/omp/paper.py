# SPDX-License-Identifier: Apache-2.0
"""What the text of X-OpenMP states, beside what is so here.

P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking using lock-less work
stealing", 2024, abstract and section 5.2. Nothing is read off a figure.
"""

from collections.abc import Sequence

from finegrain_lab.comparison import Comparison
from finegrain_lab.drop_in import with_policy
from finegrain_lab.omp.cases import KERNELS, UTS
from finegrain_lab.omp.evaluate import CLANGS_TARGET
from finegrain_lab.omp.results import Result, Row

MACHINE = "Intel Skylake, 192 cores in 8 sockets; clang 11"
GNU = "gnu-openmp"
ITS_POLICIES = ("xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2")
NOT_MEASURED = "not measured"


def comparisons(result: Result) -> list[Comparison]:
    """Returns the paper's statements."""
    return [
        Comparison(
            "over GNU OpenMP, at best",
            "40 times as fast (abstract)",
            _best_of_both(result, GNU, KERNELS),
        ),
        Comparison(
            "over LLVM OpenMP, at best",
            "twice as fast (abstract)",
            _best_of_both(result, CLANGS_TARGET, KERNELS),
        ),
        Comparison(
            "tree search (the paper's is T3L) over GNU OpenMP",
            "40 times as fast on 192 threads, 10 times on 96",
            _best_of_both(result, GNU, [UTS]),
        ),
        Comparison(
            "tree search over LLVM OpenMP",
            "twice as fast on 96 threads",
            _best_of_both(result, CLANGS_TARGET, [UTS]),
        ),
        Comparison(
            "the policy that is best on the tree",
            "static at 192 threads; at 96 static for fine tasks, no-wait for coarser ones",
            _best_policy(result, UTS),
        ),
        Comparison(
            "Strassen, 8192 x 8192, 96 threads",
            "GNU OpenMP 3.6 s, static 5.9 s, LLVM OpenMP 5 % slower than that",
            NOT_MEASURED,
        ),
        Comparison(
            "symmetric rank-k update, 96 threads",
            "static 1229 GFLOPS, no-wait stealing two 979, LLVM OpenMP 956, wait 927",
            NOT_MEASURED,
        ),
        Comparison(
            "Cholesky factorization, 96 threads",
            "no-wait 911 GFLOPS, the best; static like LLVM OpenMP",
            NOT_MEASURED,
        ),
    ]


def _served(result: Result, base: str, case: str, policies: Sequence[str]) -> list[Row]:
    rows = [result.row(case, with_policy(base, policy)) for policy in policies]
    return [row for row in rows if row and row.over_own is not None]


def _best_of_both(result: Result, base: str, cases: Sequence[str]) -> str:
    """Returns the greatest speedup over this runtime: of the paper's policies, of our default."""
    kinds = {"its policies": ITS_POLICIES, "our default": [result.settings.default_policy]}
    found = []
    for kind, policies in kinds.items():
        rows = [row for case in cases for row in _served(result, base, case, policies)]
        if rows:
            best = max(rows, key=lambda row: row.over_own or 0.0)
            found.append(f"{kind} {best.over_own:.2f} times ({best.policy} on {best.case})")
    return f"over {base}: {'; '.join(found)}" if found else NOT_MEASURED


def _best_policy(result: Result, case: str) -> str:
    found = []
    for base in result.settings.bases:
        if rows := _served(result, base, case, ITS_POLICIES):
            best = min(rows, key=lambda row: row.ns)
            found.append(f"{best.policy} (over {base})")
    return "; ".join(found) or NOT_MEASURED

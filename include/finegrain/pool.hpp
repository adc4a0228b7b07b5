// A pool of workers, task groups, and their algorithms. Sorting is in algorithm/pool/sort.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/pool/parallel_scan.hpp"
#include "finegrain/pool/isolate.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/posted_group.hpp"
#include "finegrain/pool/task_group.hpp"

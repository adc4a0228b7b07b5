// Everything that finegrain offers to C++ programs.
#pragma once

#include "finegrain/algorithm/fork_join.hpp"
#include "finegrain/algorithm/parallel_for.hpp"
#include "finegrain/algorithm/parallel_reduce.hpp"
#include "finegrain/algorithm/pool_broadcast.hpp"
#include "finegrain/algorithm/pool_fork_join.hpp"
#include "finegrain/algorithm/pool_parallel_for.hpp"
#include "finegrain/algorithm/pool_parallel_reduce.hpp"
#include "finegrain/algorithm/pool_parallel_scan.hpp"
#include "finegrain/core/config.hpp"
#include "finegrain/core/placement.hpp"
#include "finegrain/core/wait.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/relic/profit.hpp"
#include "finegrain/relic/relic.hpp"

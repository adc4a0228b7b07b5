// Everything for C++ programs but graphs (finegrain/graph.hpp) and sorting
// (finegrain/algorithm/pool/sort.hpp). To compile faster: finegrain/relic.hpp, finegrain/pool.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/execution/pool_scheduler.hpp"
#include "finegrain/execution/relic_coroutines.hpp"
#include "finegrain/execution/relic_scheduler.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool.hpp"
#include "finegrain/relic.hpp"
#include "finegrain/trace/trace.hpp"

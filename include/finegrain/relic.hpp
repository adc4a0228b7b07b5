// A relic, and the algorithms that share work with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/algorithm/relic/parallel_reduce.hpp"
#include "finegrain/relic/relic.hpp"

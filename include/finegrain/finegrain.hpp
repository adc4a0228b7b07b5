// Everything that finegrain offers to C++ programs.
#pragma once

#include "finegrain/algorithm/fork_join.hpp"
#include "finegrain/algorithm/parallel_for.hpp"
#include "finegrain/algorithm/parallel_reduce.hpp"
#include "finegrain/core/config.hpp"
#include "finegrain/core/placement.hpp"
#include "finegrain/core/wait.hpp"
#include "finegrain/relic/profit.hpp"
#include "finegrain/relic/relic.hpp"

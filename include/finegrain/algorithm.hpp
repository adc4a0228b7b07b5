// The standard library's parallel algorithms on a pool, by an execution policy: fg::par. Not part of
// finegrain.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/algorithm/par/copy_if.hpp"
#include "finegrain/algorithm/par/count_if.hpp"
#include "finegrain/algorithm/par/exclusive_scan.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/find_if.hpp"
#include "finegrain/algorithm/par/for_each.hpp"
#include "finegrain/algorithm/par/inclusive_scan.hpp"
#include "finegrain/algorithm/par/reduce.hpp"
#include "finegrain/algorithm/par/sort.hpp"
#include "finegrain/algorithm/par/transform.hpp"
#include "finegrain/algorithm/par/transform_reduce.hpp"
#include "finegrain/pool/pool.hpp"

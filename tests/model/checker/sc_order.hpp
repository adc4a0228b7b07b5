// The one order of sequentially consistent operations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/execution_graph.hpp"

namespace model {

/// Whether the sequentially consistent accesses and fences of `graph` can be put into one order:
/// the relation psc of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency
/// in C/C++11", PLDI 2017, section 4; adopted by C++20) has no cycle. Asymmetric fences are fences
/// of it that are ordered with some of the others only (order.hpp). Takes time in the square of the
/// number of events for each operation to be ordered.
///
/// An event that was added last and reads or is the newest write can not close a cycle: nothing
/// comes behind it. So only older values and backward steps have to be looked at.
bool has_sc_order(const execution_graph& graph);

}  // namespace model

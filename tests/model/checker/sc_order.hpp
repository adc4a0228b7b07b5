// The single total order of sequentially consistent operations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/execution_graph.hpp"

namespace model {

/// Whether the sequentially consistent accesses and fences of `graph` can be put into a single
/// order: the relation psc of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential
/// consistency in C/C++11", PLDI 2017, section 4; adopted by C++20) has no cycle. Asymmetric fences
/// are fences that are ordered only with some of the others (order.hpp). Takes time linear in the
/// number of events for each operation to be ordered and each location.
///
/// An event that was added last and reads or is the newest write cannot close a cycle: nothing
/// comes after it. So only older values and backward steps have to be checked.
bool has_sc_order(const execution_graph& graph);

}  // namespace model

// The interface of a tree that a runtime runs as tasks, one per node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

namespace fg::bench {

/// A tree that is computed while it is walked, and how its nodes are summed.
///
/// `result` is a sum: a default-constructed one is empty, and `+=` joins the parts of the tree.
/// `visit` adds one node with its number of children to such a sum, on the thread that runs the
/// node's task and before any of the node's children is spawned; so the root is visited first. A
/// walk does not change while it is walked, on any number of threads.
template <class Walk>
concept tree_walk = std::default_initializable<typename Walk::result> &&
                    requires(const Walk& walk, const typename Walk::node& at,
                             typename Walk::result& sum, std::uint32_t index) {
                      { Walk::kWaitsAtEveryNode } -> std::convertible_to<bool>;
                      { walk.root() } -> std::same_as<typename Walk::node>;
                      { walk.children(at) } -> std::same_as<std::uint32_t>;
                      { walk.child(at, index) } -> std::same_as<typename Walk::node>;
                      walk.visit(at, index, sum);
                      sum += sum;
                    };

}  // namespace fg::bench

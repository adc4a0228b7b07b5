// Trees on the runtimes that are Rust crates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "programs/frame/thread_census.hpp"
#include "programs/rust/rust_peers.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/leaves.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace fg::bench {

/// What a crate does with joins. fib and the complete trees are Rust, as a user of the crate writes
/// them: a call across the languages would cost as much as a join of theirs. In a search the nodes,
/// whose hashes take ten times as long as that call, stay C++.
struct rust_joins {
  void (*join)(void* scope, rust_call first, rust_call second);
  std::uint64_t (*fib)(void* scope, std::int32_t n, void (*count)());
  std::uint64_t (*tree)(void* scope, std::uint32_t width, std::uint32_t depth, void (*count)());
};

namespace detail {

template <tree_walk Walk>
typename Walk::result joined_walk(const rust_joins& crate, void* scope, const Walk& walk,
                                  const typename Walk::node& at);

/// The children of a node from `first` to `end` - 1, by halves.
template <tree_walk Walk>
typename Walk::result joined_children(const rust_joins& crate, void* scope, const Walk& walk,
                                      const typename Walk::node& parent, std::uint32_t first,
                                      std::uint32_t end) {
  if (end - first == 1) {
    return joined_walk(crate, scope, walk, walk.child(parent, first));
  }
  const std::uint32_t middle = first + (end - first) / 2;
  typename Walk::result sum{};
  typename Walk::result rest{};
  const auto lower = [&](void* own) {
    sum = joined_children(crate, own, walk, parent, first, middle);
  };
  const auto upper = [&](void* own) {
    rest = joined_children(crate, own, walk, parent, middle, end);
  };
  crate.join(scope, rust_call_of(lower), rust_call_of(upper));
  sum += rest;
  return sum;
}

template <tree_walk Walk>
typename Walk::result joined_walk(const rust_joins& crate, void* scope, const Walk& walk,
                                  const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  typename Walk::result sum{};
  walk.visit(at, children, sum);
  if (children > 0) {
    sum += joined_children(crate, scope, walk, at, 0, children);
  }
  return sum;
}

}  // namespace detail

/// The forms of plain_runner.hpp that joins are enough for. `scope` is that of the session's thread.
class rust_join_forms {
 public:
  rust_join_forms(const rust_joins& crate, void* scope) : crate_{crate}, scope_{scope} {}

  template <class Leaf>
  [[nodiscard]] std::uint64_t fib(int n) const {
    return crate_.fib(scope_, n, std::same_as<Leaf, fib_leaf> ? nullptr : thread_census::count);
  }
  template <tree_walk Walk>
  [[nodiscard]] typename Walk::result walk(const Walk& tree) const {
    if constexpr (std::derived_from<Walk, balanced_walk>) {
      return crate_.tree(scope_, tree.width, tree.depth,
                         std::same_as<Walk, balanced_walk> ? nullptr : thread_census::count);
    } else {
      return detail::joined_walk(crate_, scope_, tree, tree.root());
    }
  }

 private:
  rust_joins crate_;
  void* scope_;
};

}  // namespace fg::bench

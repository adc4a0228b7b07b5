// The runner of a runtime whose fib and flat loop are ordinary functions.
#pragma once

#include <cstdint>

#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/leaves.hpp"
#include "micro/spawn/spawn_runtime.hpp"

namespace fg::bench {

/// `Tree` and `Flat` are called on the thread that the session calls its body on. `Tree` is a
/// generic lambda: `[]<class Leaf>(int n)` returns the sum of the tree's leaves, each
/// `Leaf::value(n)`. `Flat`: `[](const flat_job&)` returns when all tasks have run.
template <class Tree, class Flat>
class plain_runner final : public task_runner {
 public:
  plain_runner(Tree tree, Flat flat_loop) : tree_{tree}, flat_{flat_loop} {}

  std::uint64_t fib(int n) override { return tree_.template operator()<fib_leaf>(n); }
  std::uint64_t leaves_elsewhere(int n) override {
    leaf_census::begin();
    return tree_.template operator()<census_leaf>(n);
  }
  void flat(const flat_job& job) override { flat_(job); }

 private:
  Tree tree_;
  Flat flat_;
};

}  // namespace fg::bench

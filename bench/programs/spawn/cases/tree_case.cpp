// A complete tree, each node of which spawns a task for each child.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "programs/frame/program_errors.hpp"
#include "programs/spawn/cases/census_line.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/workloads/balanced_walks.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr std::uint32_t kGreatestWidth = 10'000;
constexpr std::uint32_t kGreatestDepth = 40;
// Larger trees take minutes.
constexpr std::uint64_t kMostLeaves = std::uint64_t{1} << kGreatestDepth;

// width^depth, or a number above the limit.
std::uint64_t leaves_of(const balanced_walk& tree) {
  std::uint64_t leaves = 1;
  for (std::uint32_t level = 0; level < tree.depth && leaves <= kMostLeaves; ++level) {
    leaves *= tree.width;
  }
  return leaves;
}

// The nodes except the root, each of which was spawned.
std::uint64_t tasks_of(const balanced_walk& tree) {
  std::uint64_t nodes = 0;
  std::uint64_t of_level = 1;
  for (std::uint32_t level = 0; level < tree.depth; ++level) {
    of_level *= tree.width;
    nodes += of_level;
  }
  return nodes;
}

void require_leaves(const balanced_walk& tree, std::uint64_t leaves) {
  if (leaves != leaves_of(tree)) {
    throw wrong_result("the tree has " + std::to_string(leaves_of(tree)) + " leaves, not " +
                       std::to_string(leaves));
  }
}

// The smallest tree of that width with this many leaves.
balanced_walk tree_with_leaves(std::uint32_t width, std::uint64_t leaves) {
  balanced_walk tree{.width = width, .depth = 1};
  while (leaves_of(tree) < leaves) {
    ++tree.depth;
  }
  return tree;
}

double timed_ns(task_runner& runner, const balanced_walk& tree) {
  return checked_ns([&] { return runner.walk(tree); },
                    [&](std::uint64_t leaves) { require_leaves(tree, leaves); });
}

class tree_case final : public spawn_case {
 public:
  options add_to(options& app) override {
    options command = app.add_subcommand("tree", "A complete tree: wall time per spawn");
    command.add("--children", width_, "Children of each node").in_range(2U, kGreatestWidth);
    command.add("--depth", depth_, "Levels below the root (else as --batch-ms has it)")
        .in_range(1U, kGreatestDepth);
    return command;
  }

  void require_sense(const batch_plan& /*plan*/) const override {
    if (leaves_of({.width = width_, .depth = depth_}) > kMostLeaves) {
      throw wrong_arguments("the tree has more than 2^40 leaves");
    }
  }

  [[nodiscard]] unit_of_work unit() const override {
    constexpr std::uint64_t kUnitLeaves = 2000;  // about 10 us
    return [tree = tree_with_leaves(width_, kUnitLeaves)](work_counter& counter) {
      require_leaves(tree, called_walk(tree));
      counter.add(tasks_of(tree));
    };
  }

  [[nodiscard]] json measure(const batch_plan& plan, task_runner& runner) const override {
    const auto of_depth = [this](std::uint32_t depth) -> balanced_walk {
      return {.width = width_, .depth = depth};
    };
    const auto batch = [&](std::uint32_t depth) { return timed_ns(runner, of_depth(depth)); };
    const std::uint32_t greatest = tree_with_leaves(width_, kMostLeaves / width_ + 1).depth;
    const auto deeper = [](std::uint32_t depth) { return depth + 1; };
    const std::uint32_t depth =
        depth_ != 0 ? depth_ : fitting_size(plan, 1U, greatest, deeper, batch);
    const balanced_walk tree = of_depth(depth);
    const std::uint64_t tasks = tasks_of(tree);
    json line{{"children", width_}, {"depth", depth}, {"tasks", tasks}};
    line["ns"] = ns_per_task(plan, runner, tasks, [&] { return batch(depth); });
    line.update(census_line(plan, runner, leaves_of(tree), [&runner, &tree] {
      require_leaves(tree, runner.walk(balanced_census{tree}));
    }));
    return line;
  }

 private:
  std::uint32_t width_ = 2;
  std::uint32_t depth_ = 0;  // 0: chosen by the time of a batch
};

}  // namespace

std::unique_ptr<spawn_case> make_tree_case() { return std::make_unique<tree_case>(); }

}  // namespace fg::bench

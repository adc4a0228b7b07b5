// The Unbalanced Tree Search as a subcommand.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/uts/sample_trees.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/cases/uts_search.hpp"

namespace fg::bench {

namespace {

class uts_case final : public spawn_case {
 public:
  options add_to(options& app) override {
    std::vector<std::string> names;
    for (const uts::sample_tree& each : uts::sample_trees()) {
      names.emplace_back(each.name);
    }
    options command =
        app.add_subcommand("uts", "Unbalanced Tree Search, a task a node: wall time per node");
    command.add("--tree", tree_, "A sample tree of the benchmark's").required().one_of(names);
    command.add("--granularity", granularity_, "How often each node is computed").in_range(1U, 10U);
    command.add_flag("--timeline", timeline_, "Note when the threads of one more search were busy");
    return command;
  }

  [[nodiscard]] unit_of_work unit() const override { return uts_unit(sample()); }

  [[nodiscard]] nlohmann::ordered_json measure(const batch_plan& plan,
                                               task_runner& runner) const override {
    return measure_uts(sample(), timeline_, plan, runner);
  }

 private:
  [[nodiscard]] uts::sample_tree sample() const {
    uts::sample_tree chosen = uts::find_sample_tree(tree_);
    chosen.tree.granularity = granularity_;
    return chosen;
  }

  std::string tree_;
  std::uint32_t granularity_ = 1;
  bool timeline_ = false;
};

}  // namespace

std::unique_ptr<spawn_case> make_uts_case() { return std::make_unique<uts_case>(); }

}  // namespace fg::bench

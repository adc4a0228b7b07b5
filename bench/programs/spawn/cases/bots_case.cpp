// An application of the Barcelona OpenMP Tasks Suite.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "kernels/bots/applications.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/spawn/cases/census_line.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/workloads/serial_tasks.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* kStrassen = "strassen";

const bots::application_kind& find_kind(const std::string& name) {
  return *std::ranges::find(bots::applications(), name, &bots::application_kind::name);
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const bots::application_kind& kind : bots::applications()) {
    found.emplace_back(kind.name);
  }
  return found;
}

bots::application& base_of(const bots::any_application& application) {
  return std::visit([](const auto& one) -> bots::application& { return *one; }, application);
}

bool tasks_vary(const bots::any_application& application) {
  return std::visit([](const auto& one) { return one->kTasksVary; }, application);
}

// Runs it by plain calls. Returns the number of tasks that it would have had.
std::uint64_t tally_tasks(const bots::any_application& application) {
  std::uint64_t tally = 0;
  base_of(application).prepare();
  require_none(base_of(application).fault() ? std::nullopt
                                            : std::optional{"nothing is wrong before the run"});
  std::visit([&tally](const auto& one) { one->run(tallied_tasks{&tally}); }, application);
  require_none(base_of(application).fault());
  return tally;
}

double timed_ns(task_runner& runner, const application_run& run) {
  base_of(run.application).prepare();
  return checked_ns(
      [&] {
        runner.run(run);
        return 0;
      },
      [&](int) { require_none(base_of(run.application).fault()); });
}

class bots_case final : public spawn_case {
 public:
  options add_to(options& app) override {
    options command =
        app.add_subcommand("bots", "An application of the Barcelona OpenMP Tasks Suite");
    command.add("--application", name_, "Which").required().one_of(names());
    command.add("--size", size_.size, "Its size (else the usual one)");
    command.add("--base", size_.base, "strassen: rows of the sequential products").positive();
    command.add_flag("--untied-tasks{false}", tied_, "OpenMP: untied tasks");
    return command;
  }

  void require_sense(const batch_plan& /*plan*/) const override {
    const bots::application_kind& kind = find_kind(name_);
    if (size_.base != bots::kStrassenBase && name_ != kStrassen) {
      throw wrong_arguments("--base is strassen's");
    }
    if (size_.size != 0 && (size_.size < kind.least_size || size_.size > kind.greatest_size)) {
      throw wrong_arguments(name_ + " takes " + std::to_string(kind.least_size) + " to " +
                            std::to_string(kind.greatest_size) + " (" + std::string{kind.size} +
                            ")");
    }
  }

  // None: the length of a task depends on the application's size.
  [[nodiscard]] unit_of_work unit() const override { return {}; }

  [[nodiscard]] json measure(const batch_plan& plan, task_runner& runner) const override {
    bots::any_application application = made();
    const std::uint64_t tasks = tally_tasks(application);
    if (tasks == 0) {
      throw wrong_arguments("at this size " + name_ + " has no tasks");
    }
    const application_run run{.application = application, .tied = tied_, .counted = false};
    const bool varies = tasks_vary(application);
    json line{
        {"application", name_}, {"size", size_of()}, {"tasks", tasks}, {"tasks_vary", varies}};
    if (name_ == kStrassen) {
      line["base"] = size_.base;
    }
    line["tied"] = tied_;
    line["ns"] = ns_per_task(plan, runner, tasks, [&] { return timed_ns(runner, run); });
    const application_run counted{.application = application, .tied = tied_, .counted = true};
    line.update(census_line(plan, runner, varies ? std::nullopt : std::optional{tasks},
                            [&] { timed_ns(runner, counted); }));
    return line;
  }

 private:
  [[nodiscard]] std::uint64_t size_of() const {
    return size_.size != 0 ? size_.size : find_kind(name_).usual_size;
  }

  [[nodiscard]] bots::any_application made() const {
    try {
      return find_kind(name_).make({.size = size_of(), .base = size_.base});
    } catch (const std::invalid_argument& error) {
      throw wrong_arguments(error.what());
    }
  }

  std::string name_;
  bots::application_size size_;
  bool tied_ = true;
};

}  // namespace

std::unique_ptr<spawn_case> make_bots_case() { return std::make_unique<bots_case>(); }

}  // namespace fg::bench

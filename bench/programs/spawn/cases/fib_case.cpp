// fib without cutoff.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <utility>

#include "programs/frame/program_errors.hpp"
#include "programs/spawn/cases/census_line.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/workloads/leaves.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

// Smaller trees take microseconds on any runtime, larger ones take minutes.
constexpr int kLeastN = 10;
constexpr int kGreatestN = 50;

// fib, by the sum of its definition.
std::uint64_t known_fib(int n) {
  std::uint64_t current = 0;
  std::uint64_t next = 1;
  for (int i = 0; i < n; ++i) {
    current = std::exchange(next, current + next);
  }
  return current;
}

std::uint64_t leaves_of(int n) { return known_fib(n + 1); }

// Calls with n >= 2, each of which spawns one task.
std::uint64_t spawns_of(int n) { return leaves_of(n) - 1; }

void require_fib(int n, std::uint64_t value) {
  if (value != known_fib(n)) {
    throw wrong_result("fib(" + std::to_string(n) + ") is " + std::to_string(known_fib(n)) +
                       ", not " + std::to_string(value));
  }
}

double timed_ns(task_runner& runner, int n) {
  return checked_ns([&] { return runner.fib(n); },
                    [n](std::uint64_t value) { require_fib(n, value); });
}

class fib_case final : public spawn_case {
 public:
  options add_to(options& app) override {
    options command = app.add_subcommand("fib", "fib without cutoff: wall time per spawn");
    command.add("--n", n_, "fib of what (else as --batch-ms has it)").in_range(2, kGreatestN);
    return command;
  }

  [[nodiscard]] unit_of_work unit() const override {
    constexpr int kUnitN = 20;  // about 10 us
    return [](work_counter& counter) {
      const volatile int n = kUnitN;  // otherwise the compiler computes it once
      require_fib(kUnitN, called_fib<fib_leaf>(n));
      counter.add(spawns_of(kUnitN));
    };
  }

  [[nodiscard]] json measure(const batch_plan& plan, task_runner& runner) const override {
    const auto batch = [&runner](int n) { return timed_ns(runner, n); };
    const int n =
        n_ != 0 ? n_
                : fitting_size(plan, kLeastN, kGreatestN, [](int size) { return size + 1; }, batch);
    const std::uint64_t spawns = spawns_of(n);
    json line{{"n", n}, {"tasks", spawns}};
    line["ns"] = ns_per_task(plan, runner, spawns, [&] { return batch(n); });
    line.update(census_line(plan, runner, leaves_of(n),
                            [&runner, n] { require_fib(n, runner.counted_fib(n)); }));
    return line;
  }

 private:
  int n_ = 0;  // 0: chosen by the time of a batch
};

}  // namespace

std::unique_ptr<spawn_case> make_fib_case() { return std::make_unique<fib_case>(); }

}  // namespace fg::bench

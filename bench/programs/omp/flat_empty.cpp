// Empty tasks from one thread, and a wait for all.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "programs/frame/program_errors.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

template <class Tally>
void region_flat(std::uint64_t tasks) {
#pragma omp parallel default(none) firstprivate(tasks)
#pragma omp single
  {
    for (std::uint64_t i = 0; i < tasks; ++i) {
#pragma omp task default(none)
      {
        asm volatile("");  // keeps the compiler from removing the task or its loop
        Tally::count();
      }
    }
#pragma omp taskwait
  }
}

// An empty task leaves nothing to check: after each timed batch the same batch is run with tasks
// that count, and that one is checked.
class flat_empty_kernel final : public omp_kernel {
 public:
  explicit flat_empty_kernel(std::uint64_t tasks) : tasks_(tasks) {}

  void prepare() override { ran_ = 0; }
  double run_ns() override {
    const double ns = elapsed_ns([this] { region_flat<uncounted>(tasks_); });
    thread_census::begin();
    run_counted();
    return ns;
  }
  void run_counted() override {
    region_flat<counted_by_thread>(tasks_);
    const auto counts = thread_census::counts();
    ran_ = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  void check() const override {
    if (ran_ != tasks_) {
      throw wrong_result(std::to_string(ran_) + " tasks ran, not " + std::to_string(tasks_));
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return tasks_; }

 private:
  std::uint64_t tasks_;
  std::uint64_t ran_ = 0;
};

}  // namespace

std::unique_ptr<omp_kernel> make_flat_empty(const omp_request& request) {
  return std::make_unique<flat_empty_kernel>(request.size);
}

}  // namespace fg::bench

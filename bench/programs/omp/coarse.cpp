// Tasks of 100 us each from one thread, and a wait for all: the overhead of a runtime is negligible
// here, unless it leaves a thread idle.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/spin/lcg_chain.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

constexpr double kTaskUs = 100;

// Task i walks a chain that starts at i.
template <class Tally>
void region_chains(std::vector<std::uint64_t>& ends, std::uint64_t steps) {
#pragma omp parallel default(none) shared(ends) firstprivate(steps)
#pragma omp single
  {
    for (std::size_t i = 0; i < ends.size(); ++i) {
#pragma omp task default(none) shared(ends) firstprivate(steps, i)
      {
        Tally::count();
        ends[i] = walk_lcg_chain(i, steps);
      }
    }
#pragma omp taskwait
  }
}

class coarse_kernel final : public omp_kernel {
 public:
  coarse_kernel(std::size_t tasks, std::uint64_t steps) : ends_(tasks), steps_(steps) {}

  void prepare() override {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      ends_[i] = ~jump_lcg_chain(i, steps_);
    }
  }
  double run_ns() override {
    return elapsed_ns([this] { region_chains<uncounted>(ends_, steps_); });
  }
  void run_counted() override { region_chains<counted_by_thread>(ends_, steps_); }
  void check() const override {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i] != jump_lcg_chain(i, steps_)) {
        throw wrong_result("the chain of task " + std::to_string(i) + " ends elsewhere");
      }
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return ends_.size(); }

 private:
  std::vector<std::uint64_t> ends_;
  std::uint64_t steps_;
};

}  // namespace

std::unique_ptr<omp_kernel> make_coarse(const omp_request& request) {
  if (!request.spin_steps_per_us) {
    throw wrong_arguments("coarse-100us needs --spin-steps-per-us");
  }
  const auto steps = static_cast<std::uint64_t>(std::llround(kTaskUs * *request.spin_steps_per_us));
  return std::make_unique<coarse_kernel>(request.size, steps);
}

}  // namespace fg::bench

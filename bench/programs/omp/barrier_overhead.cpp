// The cost of a barrier that all threads reach at about the same time.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/overhead.hpp"
#include "programs/omp/thread_delays.hpp"

namespace fg::bench {

namespace {

void region_barriers(std::uint64_t barriers) {
#pragma omp parallel default(none) firstprivate(barriers)
  for (std::uint64_t i = 0; i < barriers; ++i) {
    thread_delays::delay();
#pragma omp barrier
  }
}

// How often a thread passed a barrier before all had arrived.
std::uint64_t region_arrivals(std::uint64_t barriers, std::size_t threads) {
  std::uint64_t arrived = 0;
  std::uint64_t early = 0;
#pragma omp parallel default(none) firstprivate(barriers, threads) shared(arrived) \
    reduction(+ : early)
  for (std::uint64_t i = 1; i <= barriers; ++i) {
    counted_by_thread::count();
#pragma omp atomic
    ++arrived;
#pragma omp barrier
    std::uint64_t seen = 0;
#pragma omp atomic read
    seen = arrived;
    early += seen < i * threads ? 1 : 0;
  }
  return early;
}

class barrier_kernel final : public omp_kernel {
 public:
  explicit barrier_kernel(const omp_request& request)
      : threads_(request.threads), barriers_(request.size) {}

  void prepare() override { early_ = 0; }
  double run_ns() override {
    return construct_ns(threads_, one_each(threads_, barriers_),
                        [this] { region_barriers(barriers_); });
  }
  void run_counted() override { early_ = region_arrivals(barriers_, threads_); }
  void check() const override {  // `run_ns` has checked, too
    if (early_ != 0) {
      throw wrong_result(std::to_string(early_) + " times a thread left a barrier early");
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> counted() const override {
    return threads_ * barriers_;
  }

 private:
  std::size_t threads_;
  std::uint64_t barriers_;
  std::uint64_t early_ = 0;
};

}  // namespace

std::unique_ptr<omp_kernel> make_barrier_overhead(const omp_request& request) {
  return std::make_unique<barrier_kernel>(request);
}

}  // namespace fg::bench

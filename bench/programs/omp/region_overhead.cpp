// The cost of an almost empty region.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/overhead.hpp"
#include "programs/omp/thread_delays.hpp"

namespace fg::bench {

namespace {

class region_kernel final : public omp_kernel {
 public:
  explicit region_kernel(const omp_request& request)
      : threads_(request.threads), regions_(request.size) {}

  void prepare() override {}
  double run_ns() override {
    return construct_ns(threads_, regions_, [this] {
      for (std::uint64_t i = 0; i < regions_; ++i) {
#pragma omp parallel default(none)
        thread_delays::delay();
      }
    });
  }
  void run_counted() override {
    for (std::uint64_t i = 0; i < regions_; ++i) {
#pragma omp parallel default(none)
      counted_by_thread::count();
    }
  }
  void check() const override {}  // `run_ns` and the count have checked
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> counted() const override {
    return threads_ * regions_;
  }

 private:
  std::size_t threads_;
  std::uint64_t regions_;
};

}  // namespace

std::unique_ptr<omp_kernel> make_region_overhead(const omp_request& request) {
  return std::make_unique<region_kernel>(request);
}

}  // namespace fg::bench

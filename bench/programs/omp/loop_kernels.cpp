// The programs of loops/ as kernels: each is checked against the same program without OpenMP.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

// Of the greatest number: sums have another order, and compilers fuse other operations.
constexpr double kTolerance = 1e-9;

std::vector<double> result_of(loop_program& program) {
  program.prepare();
  program.run();
  return program.result();
}

class loop_kernel final : public omp_kernel {
 public:
  loop_kernel(made_loop_program measured, loop_program& reference)
      : measured_(std::move(measured)), expected_(result_of(reference)) {
    for (const double number : expected_) {
      greatest_ = std::max(greatest_, std::abs(number));
    }
  }

  void prepare() override { measured_->prepare(); }
  double run_ns() override {
    return elapsed_ns([this] { measured_->run(); });
  }
  void run_counted() override { measured_->run_counted(); }
  void check() const override {
    const std::vector<double> found = measured_->result();
    if (found.size() != expected_.size()) {
      throw wrong_result("the result has " + std::to_string(found.size()) + " numbers, not " +
                         std::to_string(expected_.size()));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!(std::abs(found[i] - expected_[i]) <= kTolerance * greatest_)) {  // nor is it NaN
        throw wrong_result("number " + std::to_string(i) + " is " + std::to_string(found[i]) +
                           ", not " + std::to_string(expected_[i]));
      }
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> counted() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t loops() const override { return measured_->loops(); }

 private:
  made_loop_program measured_;
  std::vector<double> expected_;
  double greatest_ = 0;
};

using maker = made_loop_program (*)(std::size_t);

std::unique_ptr<omp_kernel> make(const omp_request& request, maker measured, maker reference) {
  return std::make_unique<loop_kernel>(measured(request.size), *reference(request.size));
}

}  // namespace

std::unique_ptr<omp_kernel> make_cg(const omp_request& request) {
  return make(request, measured::make_cg, reference::make_cg);
}
std::unique_ptr<omp_kernel> make_multigrid(const omp_request& request) {
  return make(request, measured::make_multigrid, reference::make_multigrid);
}
std::unique_ptr<omp_kernel> make_fft(const omp_request& request) {
  return make(request, measured::make_fft, reference::make_fft);
}
std::unique_ptr<omp_kernel> make_stencil(const omp_request& request) {
  return make(request, measured::make_stencil, reference::make_stencil);
}
std::unique_ptr<omp_kernel> make_gemm(const omp_request& request) {
  return make(request, measured::make_gemm, reference::make_gemm);
}
std::unique_ptr<omp_kernel> make_lu(const omp_request& request) {
  return make(request, measured::make_lu, reference::make_lu);
}
std::unique_ptr<omp_kernel> make_levels(const omp_request& request) {
  return make(request, measured::make_levels, reference::make_levels);
}
std::unique_ptr<omp_kernel> make_springs(const omp_request& request) {
  return make(request, measured::make_springs, reference::make_springs);
}

}  // namespace fg::bench

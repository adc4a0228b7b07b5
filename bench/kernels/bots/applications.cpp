// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/applications.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace fg::bench::bots {

namespace {

template <class Application, class Size>
any_application made(const application_size& size) {
  return std::make_unique<Application>(static_cast<Size>(size.size));
}

any_application made_fft(const application_size& size) {
  if (!std::has_single_bit(size.size)) {
    throw std::invalid_argument("fft takes powers of two only");
  }
  return std::make_unique<fft>(size.size);
}

any_application made_strassen(const application_size& size) {
  if (size.size % size.base != 0 || !std::has_single_bit(size.size / size.base)) {
    throw std::invalid_argument("strassen takes " + std::to_string(size.base) +
                                " rows times a power of two only");
  }
  return std::make_unique<strassen>(size.size, size.base);
}

// The default sizes take 1 to 80 ms by plain calls (Xeon, model 207).
constexpr std::array<application_kind, 9> kApplications{{
    {"fib", "n", 2, 27, 50, &made<fib, int>},
    {"nqueens", "queens", 1, 10, queens_board::kMostQueens, &made<nqueens, int>},
    {"floorplan", "cells", 2, 8, 12, &made<floorplan, std::size_t>},
    {"alignment", "proteins", 2, 30, 200, &made<alignment, std::size_t>},
    {"fft", "values, a power of two", 2, 1U << 18U, 1U << 28U, &made_fft},
    {"health", "levels", 2, 6, 8, &made<health, std::size_t>},
    {"sort", "elements", 1, 1U << 20U, 1U << 30U, &made<sort, std::uint64_t>},
    {"sparselu", "rows of blocks", 2, 40, 1000, &made<sparselu, std::size_t>},
    {"strassen", "rows, the base times a power of two", 1, 512, 1U << 14U, &made_strassen},
}};

}  // namespace

std::span<const application_kind> applications() noexcept { return kApplications; }

}  // namespace fg::bench::bots

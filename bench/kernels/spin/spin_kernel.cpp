// SPDX-License-Identifier: Apache-2.0
#include "kernels/spin/spin_kernel.hpp"

#include "kernels/spin/lcg_chain.hpp"

namespace fg::bench {
namespace {

constexpr std::uint64_t kStart = 2024;

}  // namespace

spin_kernel::spin_kernel(std::uint64_t num_steps) noexcept : num_steps_(num_steps) { clear(); }

void spin_kernel::run() noexcept { result_ = walk_lcg_chain(kStart, num_steps_); }

std::optional<std::string> spin_kernel::check() const {
  const std::uint64_t expected = jump_lcg_chain(kStart, num_steps_);
  if (result_ != expected) {
    return "spin: the chain of " + std::to_string(num_steps_) + " steps ends at " +
           std::to_string(result_) + " instead of " + std::to_string(expected);
  }
  return std::nullopt;
}

void spin_kernel::clear() noexcept { result_ = ~jump_lcg_chain(kStart, num_steps_); }

}  // namespace fg::bench

// SPDX-License-Identifier: Apache-2.0
#include "programs/pipeline/token_stages.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"

namespace fg::bench {
namespace {

constexpr std::string_view kSerial = "s-s";
constexpr std::string_view kParallel = "s-p-s";

std::uint64_t steps_of(double share, double steps) {
  return steps == 0 ? 0 : static_cast<std::uint64_t>(std::max(1.0, std::round(share * steps)));
}

}  // namespace

std::vector<std::string> token_lines() { return {std::string{kSerial}, std::string{kParallel}}; }

token_stages::token_stages(std::string_view line, double steps)
    : has_middle_{line == kParallel},
      steps_{steps_of(has_middle_ ? 0.1 : 0.5, steps), has_middle_ ? steps_of(0.8, steps) : 0,
             steps_of(has_middle_ ? 0.1 : 0.5, steps)} {}

void token_stages::begin(std::uint64_t tokens) noexcept {
  seed_ += tokens_;  // other states than in the run before
  tokens_ = tokens;
  made_ = finished_ = sum_ = 0;
  is_in_order_ = true;
}

void token_stages::check() const {
  if (made_ != tokens_ || finished_ != tokens_) {
    throw wrong_result(std::to_string(finished_) + " of " + std::to_string(tokens_) +
                       " tokens have left");
  }
  if (!is_in_order_) {
    throw wrong_result("tokens have left out of their order");
  }
  const std::uint64_t steps = std::accumulate(steps_.begin(), steps_.end(), std::uint64_t{0});
  std::uint64_t sum = 0;
  for (std::uint64_t number = 0; number < tokens_; ++number) {
    sum += jump_lcg_chain(seed_ + number, steps);
  }
  if (sum != sum_) {
    throw wrong_result("a token has another result");
  }
}

void token_stages::watch(std::uint64_t tokens) {
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    if (stage != 1 || has_middle_) {
      cpus_[stage].assign(tokens, -1);
    }
  }
}

void token_stages::note_cpu(std::size_t stage, std::uint64_t number) noexcept {
  cpus_[stage][number] = current_cpu();
}

std::vector<int> token_stages::cpus() const {
  std::vector<int> all;
  for (const std::vector<int>& each : cpus_) {
    all.insert(all.end(), each.begin(), each.end());
  }
  return all;
}

}  // namespace fg::bench

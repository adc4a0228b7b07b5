// Divides the stages of a pipeline between two threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "finegrain/pipeline/stage.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The stages before a border are the first thread's, the others the second one's. If the border lies
/// within a parallel stage, the first thread calls that for a share of the tokens, and the second one
/// for the others. Times are ticks.
class stage_division {
 public:
  /// Makes the longer half as short as it can be. `times` and `modes`, by stage, at least two.
  stage_division(std::span<const std::uint64_t> times, std::span<const stage_mode> modes) noexcept {
    const std::uint64_t total = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
    std::uint64_t before = times[0];
    longest_ = total + 1;
    for (std::size_t stage = 1; stage != times.size(); ++stage) {
      const std::uint64_t missing = std::max(total / 2, before) - before;  // to half of the total
      const bool is_within = modes[stage] == stage_mode::parallel && missing < times[stage];
      const std::uint64_t share = is_within ? missing : 0;
      const std::uint64_t longer = std::max(before + share, total - before - share);
      if (longer < longest_) {
        stage_ = stage;
        share_ = share;
        whole_ = times[stage];
        longest_ = longer;
      }
      before += times[stage];
    }
  }

  /// The stage that the border is before, or within.
  [[nodiscard]] std::size_t stage() const noexcept { return stage_; }
  /// Of that stage's calls, those of the first thread, from 0 to below 1.
  [[nodiscard]] double share() const noexcept {
    return share_ == 0 ? 0 : static_cast<double>(share_) / static_cast<double>(whole_);
  }
  /// How long the longer half takes.
  [[nodiscard]] std::uint64_t longest() const noexcept { return longest_; }

  /// Where the border is for each token in turn, so that the threads' calls of a stage that both have
  /// are spread evenly.
  class borders {
   public:
    explicit borders(const stage_division& of) noexcept : of_{of} {}

    /// The next token's first stage on the second thread.
    [[nodiscard]] std::size_t next() noexcept {
      due_ += of_.share_;
      if (of_.share_ == 0 || due_ < of_.whole_) {
        return of_.stage_;
      }
      due_ -= of_.whole_;
      return of_.stage_ + 1;
    }

   private:
    const stage_division& of_;
    std::uint64_t due_ = 0;  // of the first thread's share, less than a whole call
  };

 private:
  std::size_t stage_ = 1;
  std::uint64_t share_ = 0;  // of `whole_`, the first thread's
  std::uint64_t whole_ = 0;  // what the stage takes
  std::uint64_t longest_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

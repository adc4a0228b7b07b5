// What is known about a pipeline, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "finegrain/core/clock.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/stage_division.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Writes the stages for `pipeline::explain`. `times`, by stage, in ticks: none if they are not known.
class explained_line {
 public:
  explained_line(std::span<const stage_mode> modes, std::span<const std::uint64_t> times)
      : modes_{modes}, times_{times} {}

  /// In their order.
  [[nodiscard]] std::string stages() const { return stages(0, modes_.size()); }
  /// By the thread of a relic that calls them.
  [[nodiscard]] std::string halves(const stage_division& division) const {
    const std::size_t border = division.stage();
    std::string of_both;
    if (division.share() != 0) {
      const long percent = std::lround(100 * division.share());
      of_both = "on the main thread for " + std::to_string(percent) +
                " % of the values, else on the assistant:\n" + stages(border, border + 1);
    }
    return "on the main thread:\n" + stages(0, border) + of_both + "on the assistant:\n" +
           stages(border + (of_both.empty() ? 0 : 1), modes_.size());
  }

  static std::string ns(std::uint64_t ticks) { return std::to_string(std::llround(to_ns(ticks))); }

 private:
  [[nodiscard]] std::string stages(std::size_t first, std::size_t last) const {
    std::string all;
    for (std::size_t stage = first; stage != last; ++stage) {
      all += "  stage " + std::to_string(stage + 1) + ", " + name(modes_[stage]) +
             (times_.empty() ? "" : ", " + ns(times_[stage]) + " ns") + '\n';
    }
    return all;
  }

  static const char* name(stage_mode mode) {
    switch (mode) {
      case stage_mode::serial_in_order:
        return "serial in order";
      case stage_mode::serial_out_of_order:
        return "serial out of order";
      default:
        return "parallel";
    }
  }

  std::span<const stage_mode> modes_;
  std::span<const std::uint64_t> times_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

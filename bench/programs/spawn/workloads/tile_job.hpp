// A tile program that is run in parallel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tiles/tile_program.hpp"

namespace fg::bench {

/// Each task of the program is the call `work(program, task)`, which must come after those of all
/// earlier tasks that write one of its tiles, or read the tile that it writes.
struct tile_job {
  const tiles::program& program;
  void (*work)(const tiles::program& program, const tiles::task& task);

  [[nodiscard]] std::uint32_t tasks() const noexcept {
    return static_cast<std::uint32_t>(program.tasks.size());
  }
  void run(const tiles::task& task) const { work(program, task); }
  void run(std::uint32_t index) const { run(program.tasks[index]); }
};

/// Calls `visit(before, after)` for pairs of tasks, by number, that must run in this order; all
/// other constraints follow from them. In the order of `after`; a pair may come twice.
template <class Visit>
void each_dependence(const tiles::program& program, const Visit& visit) {
  constexpr std::uint32_t kNobody = UINT32_MAX;
  struct users {
    std::uint32_t writer;
    std::uint32_t last_read;  // since the last write
  };
  struct read {
    std::uint32_t reader;
    std::uint32_t earlier;  // the read of the same tile before this one
  };
  std::vector<users> of_tile(program.tiles.size(), {.writer = kNobody, .last_read = kNobody});
  std::vector<read> reads;
  reads.reserve(2 * program.tasks.size());
  for (std::uint32_t at = 0; at < program.tasks.size(); ++at) {
    const tiles::task& task = program.tasks[at];
    users& of_target = of_tile[task.target];
    if (of_target.writer != kNobody) {
      visit(of_target.writer, at);
    }
    for (std::uint32_t i = of_target.last_read; i != kNobody; i = reads[i].earlier) {
      visit(reads[i].reader, at);
    }
    of_target = {.writer = at, .last_read = kNobody};
    for (const std::uint32_t operand : task.operands()) {
      users& of_operand = of_tile[operand];
      if (of_operand.writer != kNobody) {
        visit(of_operand.writer, at);
      }
      reads.push_back({.reader = at, .earlier = of_operand.last_read});
      of_operand.last_read = static_cast<std::uint32_t>(reads.size() - 1);
    }
  }
}

}  // namespace fg::bench

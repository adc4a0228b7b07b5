// Teams that no region uses now, by size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "team.hpp"

namespace fg::omp {

/// Keeps teams for the next region of their size, because making one takes memory and time for each
/// of its threads. Teams live until the process ends. Any thread; a lock, held for a few
/// instructions.
class team_cache {
 public:
  /// A team whose queues are empty. Ends the program without memory.
  team& take(std::size_t size);
  /// Requires: no thread uses it any more, and nothing is in its queues.
  void give_back(team& used) noexcept;

  /// The process's.
  static team_cache& instance();

 private:
  std::mutex mutex_;
  std::map<std::size_t, team*> unused_;  // by size, linked by `next_cached`
};

}  // namespace fg::omp

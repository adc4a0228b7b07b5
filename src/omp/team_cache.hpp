// Cache of teams that no region uses, by size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "team.hpp"

namespace fg::omp {

/// Keeps teams for the next region of their size, because creating one takes memory and time for
/// each of its threads. Teams live until the process ends. Any thread; guarded by a lock, held for
/// a few instructions.
class team_cache {
 public:
  /// Returns a team whose queues are empty. Ends the program if memory runs out.
  team& take(std::size_t size);
  /// Returns a team to the cache. Requires: no thread uses it any more, and its queues are empty.
  void give_back(team& used) noexcept;

  /// The cache of the process.
  static team_cache& instance();

 private:
  std::mutex mutex_;
  std::map<std::size_t, team*> unused_;  // by size, linked by `next_cached`
};

}  // namespace fg::omp

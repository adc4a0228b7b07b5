// SPDX-License-Identifier: Apache-2.0
#include "team_cache.hpp"

#include <new>

#include "next_function.hpp"
#include "settings.hpp"

namespace fg::omp {

team_cache& team_cache::instance() {
  // Never destroyed: threads of the runtime below may outlive static objects.
  static auto* const cache = new team_cache;
  return *cache;
}

team& team_cache::take(std::size_t size) {
  {
    const std::lock_guard hold{mutex_};
    team*& first = unused_[size];
    if (first != nullptr) {
      team& found = *first;
      first = found.next_cached;
      return found;
    }
  }
  try {
    const conforming_policy& asked = settings::instance().policy();
    const conforming_policy& fitting =
        size <= asked.most_threads ? asked : kConformingPolicies.front();
    // As the runtime below counted them at its start; it may have pinned this thread since.
    const int cpus = FINEGRAIN_OMP_NEXT(omp_get_num_procs)();
    return *new team{size, fitting, size > static_cast<std::size_t>(cpus)};
  } catch (const std::bad_alloc&) {
    end_without_memory("a team");
  }
}

void team_cache::give_back(team& used) noexcept {
  const std::lock_guard hold{mutex_};
  // No allocation: `take` has created the entry.
  team*& first = unused_.find(used.size())->second;
  used.next_cached = first;
  first = &used;
}

}  // namespace fg::omp

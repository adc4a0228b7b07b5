// The functions of OpenMP's API about regions, threads, and control variables.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "../kmpc/kmpc.hpp"
#include "../settings.hpp"
#include "control_setters.hpp"
#include "entry.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; Fortran's end in an underscore
// Those that set control variables of tasks: see ../api.cpp.
extern "C" {
void omp_set_num_threads(int threads);
void omp_set_dynamic(int dynamic);
void omp_set_schedule(int kind, int chunk);
}

namespace fg::omp::runtime {
namespace {

implicit_part& here() noexcept { return part_of(thread::here()); }
const control_values& values() noexcept { return here().current(); }

// The part around `part` at nesting level `level`; null if there is none.
const implicit_part* at_level(const implicit_part& part, int level) noexcept {
  if (level < 0 || level > part.place->level) {
    return nullptr;
  }
  const implicit_part* each = &part;
  while (each->place->level > level) {
    each = each->place->outer;
  }
  return each;
}

// Of Fortran's programs with integers of 8 bytes.
int in_int(long long value) noexcept {
  return static_cast<int>(std::clamp<long long>(value, std::numeric_limits<int>::min(),
                                                std::numeric_limits<int>::max()));
}

void set_schedule(unsigned kind, int chunk) noexcept {
  switch (kind_of(kind)) {
    case schedule_kind::statically:
    case schedule_kind::dynamic:
    case schedule_kind::guided:
    case schedule_kind::automatic:
    case schedule_kind::trapezoidal:
      break;
    default:
      return;
  }
  control_values& own = here().own();
  own.schedule = static_cast<int>(kind);
  own.chunk = std::max(chunk, 0);
}

}  // namespace

// What api.cpp sets for the running task.
namespace setters {
void set_num_threads(int threads) noexcept {
  if (threads > 0) {
    here().own().threads = threads;
  }
}
void set_dynamic(int dynamic) noexcept { here().own().dynamic = dynamic != 0 ? 1 : 0; }
void set_schedule(int kind, int chunk) noexcept {
  runtime::set_schedule(static_cast<unsigned>(kind), chunk);
}
void set_default_device(int device) noexcept { here().own().device = device; }
void set_thread_limit(void* /*where*/, int /*gtid*/, int limit) noexcept {
  here().own().thread_limit = limit > 0 ? limit : kNoThreadLimit;
}
}  // namespace setters

// Called by the program.

FINEGRAIN_OMP_GETTER(int, omp_get_thread_num) {
  const thread* const self = thread::known();
  return self != nullptr ? static_cast<int>(self->inner->number) : 0;
}
FINEGRAIN_OMP_GETTER(int, omp_get_num_threads) {
  const thread* const self = thread::known();
  return self != nullptr ? static_cast<int>(self->inner->size) : 1;
}
FINEGRAIN_OMP_GETTER(int, omp_get_max_threads) { return values().threads; }
FINEGRAIN_OMP_GETTER(int, omp_get_num_procs) { return environment().cpus; }
FINEGRAIN_OMP_GETTER(int, omp_in_parallel) { return here().place->active_level > 0 ? 1 : 0; }
FINEGRAIN_OMP_GETTER(int, omp_get_dynamic) { return values().dynamic; }
FINEGRAIN_OMP_GETTER(int, omp_get_nested) { return values().most_levels > 1 ? 1 : 0; }
FINEGRAIN_OMP_GETTER(int, omp_get_thread_limit) { return values().thread_limit; }
FINEGRAIN_OMP_GETTER(int, omp_get_max_active_levels) { return values().most_levels; }
FINEGRAIN_OMP_GETTER(int, omp_get_supported_active_levels) { return kMostLevels; }
FINEGRAIN_OMP_GETTER(int, omp_get_level) { return here().place->level; }
FINEGRAIN_OMP_GETTER(int, omp_get_active_level) { return here().place->active_level; }
FINEGRAIN_OMP_GETTER(int, omp_get_cancellation) { return settings::instance().cancels() ? 1 : 0; }
FINEGRAIN_OMP_GETTER(int, omp_get_max_task_priority) { return environment().most_priority; }
FINEGRAIN_OMP_GETTER(int, omp_get_default_device) { return values().device; }
FINEGRAIN_OMP_GETTER(int, omp_get_proc_bind) { return values().proc_bind; }

FINEGRAIN_OMP_ENTRY int omp_get_ancestor_thread_num(int level) {
  const implicit_part* const found = at_level(here(), level);
  return found != nullptr ? static_cast<int>(found->number) : -1;
}
FINEGRAIN_OMP_ENTRY int omp_get_ancestor_thread_num_(const int* level) {
  return omp_get_ancestor_thread_num(*level);
}
FINEGRAIN_OMP_ENTRY int omp_get_ancestor_thread_num_8_(const long long* level) {
  return omp_get_ancestor_thread_num(in_int(*level));
}
FINEGRAIN_OMP_ENTRY int omp_get_team_size(int level) {
  const implicit_part* const found = at_level(here(), level);
  return found != nullptr ? static_cast<int>(found->place->size) : -1;
}
FINEGRAIN_OMP_ENTRY int omp_get_team_size_(const int* level) { return omp_get_team_size(*level); }
FINEGRAIN_OMP_ENTRY int omp_get_team_size_8_(const long long* level) {
  return omp_get_team_size(in_int(*level));
}

FINEGRAIN_OMP_ENTRY void omp_set_max_active_levels(int levels) {
  if (levels >= 0) {
    here().own().most_levels = std::min(levels, kMostLevels);
  }
}
FINEGRAIN_OMP_ENTRY void omp_set_max_active_levels_(const int* levels) {
  omp_set_max_active_levels(*levels);
}
FINEGRAIN_OMP_ENTRY void omp_set_max_active_levels_8_(const long long* levels) {
  omp_set_max_active_levels(in_int(*levels));
}
FINEGRAIN_OMP_ENTRY void omp_set_nested(int nested) {
  here().own().most_levels = nested != 0 ? kMostLevels : 1;
}
FINEGRAIN_OMP_ENTRY void omp_set_nested_(const int* nested) { omp_set_nested(*nested); }
FINEGRAIN_OMP_ENTRY void omp_set_nested_8_(const long long* nested) {
  omp_set_nested(*nested != 0 ? 1 : 0);
}

FINEGRAIN_OMP_ENTRY void omp_get_schedule(int* kind, int* chunk) {
  *kind = values().schedule;
  *chunk = values().chunk;
}
FINEGRAIN_OMP_ENTRY void omp_get_schedule_(int* kind, int* chunk) { omp_get_schedule(kind, chunk); }
FINEGRAIN_OMP_ENTRY void omp_get_schedule_8_(int* kind, long long* chunk) {
  *kind = values().schedule;
  *chunk = values().chunk;
}

// Teams and devices. Relaxed: control variables, numbers that order nothing.
FINEGRAIN_OMP_GETTER(int, omp_get_num_teams) {
  const implicit_part* const team = team_around(here());
  return team != nullptr ? team->teams : 1;
}
FINEGRAIN_OMP_GETTER(int, omp_get_team_num) {
  const implicit_part* const team = team_around(here());
  return team != nullptr ? team->team_number : 0;
}
// Relaxed, in these four: numbers that order nothing; see most_teams.
FINEGRAIN_OMP_GETTER(int, omp_get_max_teams) { return most_teams().load(memory_order_relaxed); }
FINEGRAIN_OMP_GETTER(int, omp_get_teams_thread_limit) {
  return runtime::teams_thread_limit().load(memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY void omp_set_num_teams(int teams) {
  most_teams().store(std::max(teams, 0), memory_order_relaxed);  // see omp_get_max_teams
}
FINEGRAIN_OMP_ENTRY void omp_set_num_teams_(const int* teams) { omp_set_num_teams(*teams); }
FINEGRAIN_OMP_ENTRY void omp_set_num_teams_8_(const long long* teams) {
  omp_set_num_teams(in_int(*teams));
}
FINEGRAIN_OMP_ENTRY void omp_set_teams_thread_limit(int threads) {
  runtime::teams_thread_limit().store(std::max(threads, 0), memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY void omp_set_teams_thread_limit_(const int* threads) {
  omp_set_teams_thread_limit(*threads);
}
FINEGRAIN_OMP_ENTRY void omp_set_teams_thread_limit_8_(const long long* threads) {
  omp_set_teams_thread_limit(in_int(*threads));
}
FINEGRAIN_OMP_GETTER(int, omp_get_num_devices) { return 0; }
FINEGRAIN_OMP_GETTER(int, omp_get_initial_device) { return 0; }
FINEGRAIN_OMP_GETTER(int, omp_get_device_num) { return 0; }
FINEGRAIN_OMP_GETTER(int, omp_is_initial_device) { return 1; }

// Called by the program outside of all regions; returns 0 after ending the threads that wait for the
// calling thread's next region, which then starts new ones. Threadprivate variables stay as they are.
FINEGRAIN_OMP_ENTRY int omp_pause_resource(int kind, int device) {
  enum : int { kSoft = 1, kHard = 2, kInitialDevice = -1 };
  thread& self = thread::here();
  const bool is_host = device == 0 || device == kInitialDevice;
  if ((kind != kSoft && kind != kHard) || !is_host || part_of(self).place->level != 0) {
    return -1;
  }
  hot_team::end_threads(self);
  return 0;
}
FINEGRAIN_OMP_ENTRY int omp_pause_resource_all(int kind) { return omp_pause_resource(kind, 0); }
FINEGRAIN_OMP_ENTRY int omp_pause_resource_(const int* kind, const int* device) {
  return omp_pause_resource(*kind, *device);
}
FINEGRAIN_OMP_ENTRY int omp_pause_resource_all_(const int* kind) {
  return omp_pause_resource_all(*kind);
}

// No tool is there to be controlled.
FINEGRAIN_OMP_ENTRY int omp_control_tool(int /*command*/, int /*modifier*/, void* /*argument*/) {
  constexpr int kNoTool = -2;
  return kNoTool;
}
FINEGRAIN_OMP_ENTRY int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return omp_control_tool(*command, *modifier, argument);
}

// The names of LLVM's C functions, where those of Fortran's would be the same.
FINEGRAIN_OMP_ENTRY void ompc_set_num_threads(int threads) { omp_set_num_threads(threads); }
FINEGRAIN_OMP_ENTRY void ompc_set_dynamic(int dynamic) { omp_set_dynamic(dynamic); }
FINEGRAIN_OMP_ENTRY void ompc_set_schedule(int kind, int chunk) { omp_set_schedule(kind, chunk); }
FINEGRAIN_OMP_ENTRY int ompc_get_ancestor_thread_num(int level) {
  return omp_get_ancestor_thread_num(level);
}
FINEGRAIN_OMP_ENTRY int ompc_get_team_size(int level) { return omp_get_team_size(level); }
FINEGRAIN_OMP_ENTRY void ompc_set_max_active_levels(int levels) {
  omp_set_max_active_levels(levels);
}
FINEGRAIN_OMP_ENTRY void ompc_set_nested(int nested) { omp_set_nested(nested); }

// Time, in seconds.
FINEGRAIN_OMP_GETTER(double, omp_get_wtime) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
FINEGRAIN_OMP_GETTER(double, omp_get_wtick) { return 1e-9; }

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)

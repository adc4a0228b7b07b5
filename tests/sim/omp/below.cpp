// Replaces what regions of the OpenMP library ask of the environment and of the system, for the
// simulator: no variables, no places, no runtime below, no cache of teams.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "next_function.hpp"
#include "runtime/adaptive_teams.hpp"
#include "runtime/affinity_format.hpp"
#include "runtime/control_values.hpp"
#include "runtime/thread_binding.hpp"
#include "settings.hpp"
#include "sim/simulator/directory.hpp"
#include "team_cache.hpp"

namespace fg::omp {
namespace {

// Longer than anything here takes: a thread of a region is awake.
constexpr std::uint64_t kSpinTicks = std::uint64_t{1} << 40U;

}  // namespace

settings::settings() noexcept
    : policy_{nullptr}, spin_ticks_{kSpinTicks}, crowded_spin_ticks_{kSpinTicks} {}

settings& settings::changeable() noexcept {
  static settings all;
  return all;
}

void end_without_memory(std::string_view /*what*/) noexcept { std::abort(); }

// No region here sets control variables, or has tasks.
void* find_next(const char* /*name*/) noexcept { std::abort(); }
team_cache& team_cache::instance() { std::abort(); }
// NOLINTBEGIN(readability-convert-member-functions-to-static): as the shipped ones
team& team_cache::take(std::size_t /*size*/) { std::abort(); }
void team_cache::give_back(team& /*used*/) noexcept { std::abort(); }
// NOLINTEND(readability-convert-member-functions-to-static)

namespace runtime {

// A CPU for each thread.
const environment_values& environment() noexcept {
  static const environment_values values = [] {
    environment_values it;
    it.initial.thread_limit = kNoThreadLimit;
    it.cpus = static_cast<int>(sim::kMaxCores);
    return it;
  }();
  return values;
}

atomic<std::size_t>& stack_bytes() noexcept {
  static constinit atomic<std::size_t> bytes{0};
  return bytes;
}
atomic<int>& most_teams() noexcept { std::abort(); }
atomic<int>& teams_thread_limit() noexcept { std::abort(); }
void tell_affinity(thread& /*self*/) noexcept { std::abort(); }

// Threads are not bound: what is asked of places then is whether there are any.
// NOLINTBEGIN(readability-convert-member-functions-to-static): as the shipped ones
std::unique_ptr<team_binding> team_binding::make() noexcept { return nullptr; }
bool team_binding::arrange(thread& /*self*/, std::uint32_t /*size*/) noexcept { std::abort(); }
void team_binding::bind(std::uint32_t /*number*/, pthread_t /*worker*/) noexcept { std::abort(); }
void team_binding::end_region() const noexcept { std::abort(); }
void team_binding::forget_workers() noexcept { std::abort(); }
void bind_initial_thread(const thread& /*self*/) noexcept { std::abort(); }
void release_initial_thread(const thread& /*self*/) noexcept { std::abort(); }
league_binding::league_binding(thread& /*self*/, std::uint32_t teams) noexcept
    : own_{nullptr}, before_{}, teams_{teams} {
  std::abort();
}
league_binding::~league_binding() { static_cast<void>(is_outermost_); }
void league_binding::begin_team(std::uint32_t number) noexcept {
  static_cast<void>(number == teams_);
  std::abort();
}
void league_binding::move_to(const placement& next) noexcept {
  static_cast<void>(&next == own_);
  std::abort();
}
// NOLINTEND(readability-convert-member-functions-to-static)

// Regions have as many threads as they ask for.
const adaptation chosen_adaptation = adaptation::never;
unsigned run_adapted(thread& /*self*/, implicit_part& /*around*/, unsigned /*most*/,
                     const region_call& /*call*/) noexcept {
  std::abort();
}

}  // namespace runtime
}  // namespace fg::omp

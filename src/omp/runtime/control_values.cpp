// SPDX-License-Identifier: Apache-2.0
#include "control_values.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "../settings.hpp"
#include "binding_request.hpp"
#include "places.hpp"
#include "text_reader.hpp"

namespace fg::omp::runtime {
namespace {

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string_view trimmed_variable(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value != nullptr ? trimmed(value) : std::string_view{};
}

bool is_true(std::string_view value) noexcept { return is_word(value, "true") || value == "1"; }

// A number of at least `least`; anything else is as if nothing had been said.
int number(std::string_view text, int least, int otherwise) noexcept {
  long long sum = 0;
  text = trimmed(text);
  if (text.empty()) {
    return otherwise;
  }
  for (const char each : text) {
    if (each < '0' || each > '9') {
      return otherwise;
    }
    sum = std::min<long long>(sum * 10 + (each - '0'), std::numeric_limits<int>::max());
  }
  return sum >= least ? static_cast<int>(sum) : otherwise;
}

// Calls `use` for each item of a list with commas.
template <class Use>
void for_each_item(std::string_view list, Use use) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    use(trimmed(list.substr(0, comma)));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
}

// [monotonic: | nonmonotonic:] kind [, chunk]
void read_schedule(std::string_view text, control_values& into) noexcept {
  unsigned modifier = 0;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    modifier = is_word(trimmed(text.substr(0, colon)), "monotonic") ? kMonotonic : 0;
    text = trimmed(text.substr(colon + 1));
  }
  const std::size_t comma = text.find(',');
  const std::string_view kind = trimmed(text.substr(0, comma));
  constexpr std::pair<std::string_view, schedule_kind> kKinds[] = {
      {"static", schedule_kind::statically},    {"dynamic", schedule_kind::dynamic},
      {"static_steal", schedule_kind::dynamic}, {"guided", schedule_kind::guided},
      {"auto", schedule_kind::automatic},       {"trapezoidal", schedule_kind::trapezoidal}};
  for (const auto& [name, value] : kKinds) {
    if (is_word(kind, name)) {
      into.schedule = static_cast<int>(static_cast<unsigned>(value) | modifier);
      const int otherwise = value == schedule_kind::statically ? 0 : 1;
      into.chunk = comma == std::string_view::npos ? otherwise
                                                   : number(text.substr(comma + 1), 1, otherwise);
    }
  }
}

// A size: a number of kibibytes, or with one of the units B, K, M, G.
std::size_t read_bytes(std::string_view text, std::size_t unit) noexcept {
  constexpr std::pair<char, unsigned> kUnits[] = {{'b', 0}, {'k', 10}, {'m', 20}, {'g', 30}};
  if (!text.empty()) {
    for (const auto& [letter, shift] : kUnits) {
      if ((text.back() | 0x20) == letter) {
        unit = std::size_t{1} << shift;
        text.remove_suffix(1);
        break;
      }
    }
  }
  return static_cast<std::size_t>(number(text, 1, 0)) * unit;
}

std::size_t read_stack_bytes() noexcept {
  constexpr std::size_t kKibi = 1024;
  for (const auto& [name, unit] : {std::pair{"OMP_STACKSIZE", kKibi},
                                   {"GOMP_STACKSIZE", kKibi},
                                   {"KMP_STACKSIZE", std::size_t{1}}}) {
    if (const std::size_t bytes = read_bytes(trimmed_variable(name), unit)) {
      return bytes;
    }
  }
  return 0;
}

// The number of a predefined allocator (omp_allocator_handle_t); without one that of the default's.
std::uintptr_t read_allocator() {
  constexpr std::string_view kNames[] = {"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
                                         "omp_const_mem_alloc",   "omp_high_bw_mem_alloc",
                                         "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
                                         "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
  const std::string_view name = trimmed_variable("OMP_ALLOCATOR");
  const auto* const found =
      std::ranges::find_if(kNames, [name](std::string_view each) { return is_word(name, each); });
  if (found != std::end(kNames)) {
    return static_cast<std::uintptr_t>(found - kNames) + 1;
  }
  if (!name.empty()) {
    say("OMP_ALLOCATOR is none of the predefined allocators; the default one is used");
  }
  return 1;
}

environment_values read() {
  environment_values all;
  all.cpus = count_cpus_of_process();
  for_each_item(trimmed_variable("OMP_NUM_THREADS"), [&](std::string_view item) {
    if (const int threads = number(item, 1, 0); threads != 0) {
      all.threads_by_level.push_back(threads);
    }
  });
  for (const binding each : requested_binding().by_level) {
    all.bind_by_level.push_back(static_cast<int>(each));
  }
  control_values& initial = all.initial;
  initial.threads = all.threads_by_level.empty() ? all.cpus : all.threads_by_level.front();
  initial.dynamic = is_true(trimmed_variable("OMP_DYNAMIC")) ? 1 : 0;
  read_schedule(trimmed_variable("OMP_SCHEDULE"), initial);
  const bool has_lists = all.threads_by_level.size() > 1 || all.bind_by_level.size() > 1;
  const bool is_nested = is_true(trimmed_variable("OMP_NESTED")) || has_lists;
  initial.most_levels =
      std::min(number(trimmed_variable("OMP_MAX_ACTIVE_LEVELS"), 0, is_nested ? kMostLevels : 1),
               kMostLevels);
  initial.device = number(trimmed_variable("OMP_DEFAULT_DEVICE"), 0, 0);
  initial.thread_limit = number(trimmed_variable("OMP_THREAD_LIMIT"), 1, kNoThreadLimit);
  initial.proc_bind = static_cast<int>(requested_binding().outermost());
  all.stack_bytes = read_stack_bytes();
  all.most_priority = number(trimmed_variable("OMP_MAX_TASK_PRIORITY"), 0, 0);
  all.teams = number(trimmed_variable("OMP_NUM_TEAMS"), 1, 0);
  all.teams_thread_limit = number(trimmed_variable("OMP_TEAMS_THREAD_LIMIT"), 1, 0);
  all.allocator = read_allocator();
  all.displays_affinity = is_true(trimmed_variable("OMP_DISPLAY_AFFINITY"));
  all.displays_settings = is_true(trimmed_variable("KMP_SETTINGS"));
  all.displays_all = is_word(trimmed_variable("OMP_DISPLAY_ENV"), "verbose");
  all.displays_itself = all.displays_all || is_true(trimmed_variable("OMP_DISPLAY_ENV"));
  return all;
}

}  // namespace

atomic<std::size_t>& stack_bytes() noexcept {
  static atomic<std::size_t> bytes{environment().stack_bytes};
  return bytes;
}

atomic<int>& most_teams() noexcept {
  static atomic<int> count{environment().teams};
  return count;
}

atomic<int>& teams_thread_limit() noexcept {
  static atomic<int> count{environment().teams_thread_limit};
  return count;
}

const environment_values& environment() noexcept {
  // Outlives all threads. Without memory for it the program ends.
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  static const auto* const all = new environment_values{read()};
  return *all;
}

}  // namespace fg::omp::runtime

// SPDX-License-Identifier: Apache-2.0
#include "adaptive_teams.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "../settings.hpp"
#include "../thread.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/environment.hpp"
#include "kept_region.hpp"
#include "team_sizes.hpp"

namespace fg::omp::runtime {

namespace {

adaptation read_adaptation() noexcept {
  const char* const value = fg::detail::environment_variable("FINEGRAIN_OMP_ADAPT");
  for (const adaptation each : {adaptation::never, adaptation::always}) {
    if (value != nullptr && value == name_of(each)) {
      return each;
    }
  }
  return adaptation::where_dynamic;
}

// Over all threads, told at exit. Relaxed: numbers that order nothing.
constinit atomic<unsigned> known_regions{0};
constinit atomic<unsigned> smaller_regions{0};

struct closing_line {
  ~closing_line() {
    try {
      say("adaptive teams: " + std::to_string(smaller_regions.load(memory_order_relaxed)) + " of " +
          std::to_string(known_regions.load(memory_order_relaxed)) +
          " regions got fewer threads, as that was faster");
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a line less
    }
  }
};

/// A region as one thread knows it.
struct opened_region {
  const void* code;
  unsigned most;
  std::unique_ptr<opened_region> next;  ///< of those with the same hash
  team_sizes sizes{most};
  kept_region alone{};
  bool was_smaller = false;  ///< it has been decided so at some time

  [[gnu::noinline]] void timed(std::uint64_t begun, std::uint64_t now) noexcept {
    sizes.timed(now - begun, now);
    if (!was_smaller && sizes.is_smaller()) {
      was_smaller = true;
      smaller_regions.fetch_add(1, memory_order_relaxed);
    }
  }
};

}  // namespace

/// Those of one thread. Never freed, like the thread's record, with which the next thread gets them.
class opened_regions {
 public:
  opened_region& of(const void* code, unsigned most) {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9e3779b97f4a7c15U;
    std::unique_ptr<opened_region>& first = lists_[mixed >> 56U];  // 256 lists
    for (opened_region* each = first.get(); each != nullptr; each = each->next.get()) {
      if (each->code == code && each->most == most) {
        return *each;
      }
    }
    return add(first, code, most);
  }

 private:
  [[gnu::noinline]] static opened_region& add(std::unique_ptr<opened_region>& first,
                                              const void* code, unsigned most);

  std::array<std::unique_ptr<opened_region>, 256> lists_;
};

namespace {

unsigned run_alone(kept_region& alone, thread& self, implicit_part& around,
                   const region_call& call) noexcept {
  alone.open(self, around);
  call.run(self, call);
  alone.close(self);
  return 1;
}

opened_region& find(thread& self, unsigned most, const void* code) noexcept {
  try {
    if (self.opened == nullptr) {
      self.opened = new opened_regions;
    }
    return self.opened->of(code, most);
  } catch (const std::exception&) {
    end_without_memory("a region");
  }
}

}  // namespace

opened_region& opened_regions::add(std::unique_ptr<opened_region>& first, const void* code,
                                   unsigned most) {
  static const closing_line at_exit;
  first = std::make_unique<opened_region>(code, most, std::move(first));
  known_regions.fetch_add(1, memory_order_relaxed);
  return *first;
}

// Not a constant expression: zero, never, until it is initialized.
const adaptation chosen_adaptation = read_adaptation();

std::string_view name_of(adaptation which) noexcept {
  constexpr std::string_view kNames[] = {"0", "dynamic", "1"};
  return kNames[static_cast<std::size_t>(which)];
}

unsigned run_adapted(thread& self, implicit_part& around, unsigned most,
                     const region_call& call) noexcept {
  opened_region& region = find(self, most, call.body);
  const auto [size, is_timed] = region.sizes.choose();
  const std::uint64_t begun = is_timed ? ticks() : 0;
  const unsigned got = size == 1 && region.alone.is_free()
                           ? run_alone(region.alone, self, around, call)
                           : run_with(self, size, call);
  if (is_timed) [[unlikely]] {
    region.timed(begun, ticks());
  }
  return got;
}

}  // namespace fg::omp::runtime

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
#include "team_sizes.hpp"

namespace fg::omp::runtime {

/// A region as one thread knows it.
struct opened_region {
  const void* code;
  unsigned most;
  std::unique_ptr<opened_region> next;  ///< of those with the same hash
  team_sizes sizes{most};
  bool was_smaller = false;  ///< it has been decided so at some time
};

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

adapted_region::adapted_region(thread& self, unsigned most, const void* code) noexcept
    : known_{find(self, most, code)} {
  const team_sizes::choice chosen = known_.sizes.choose();
  size_ = chosen.size;
  begun_ = chosen.is_timed ? ticks() : 0;
}

adapted_region::~adapted_region() {
  if (begun_ == 0) [[likely]] {
    return;
  }
  const std::uint64_t now = ticks();
  known_.sizes.timed(now - begun_, now);
  if (!known_.was_smaller && known_.sizes.is_smaller()) {
    known_.was_smaller = true;
    smaller_regions.fetch_add(1, memory_order_relaxed);
  }
}

}  // namespace fg::omp::runtime

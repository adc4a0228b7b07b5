// Opening regions: how many threads they get, and those of one thread.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "../scheduler.hpp"
#include "../settings.hpp"
#include "adaptive_teams.hpp"
#include "affinity_format.hpp"
#include "hot_team.hpp"
#include "kept_region.hpp"
#include "thread_binding.hpp"
#include "waiting.hpp"

namespace fg::omp::runtime {
namespace {

// The part of a thread in the code outside of regions. It ends with the thread, whose record is
// then another one's.
struct outermost_part {
  implicit_part part;
  thread* of;
  explicit outermost_part(thread& self) noexcept : of{&self} { part.place = &outermost_place(); }
  outermost_part(const outermost_part&) = delete;
  outermost_part& operator=(const outermost_part&) = delete;
  ~outermost_part() { of->root.own = nullptr; }
};

// A frame without a part is the outermost one, or that of a target construct, whose body is as if it
// were outside of all regions.
[[gnu::noinline]] implicit_part& find_outermost(thread& self) noexcept {
  static thread_local std::unique_ptr<outermost_part> mine;
  if (self.root.own == nullptr) {
    mine.reset(new (std::nothrow) outermost_part{self});
    if (mine == nullptr) {
      end_without_memory("a thread");
    }
    self.root.own = &mine->part;
  }
  self.inner->own = self.root.own;
  return *self.root.own;
}

// Takes threads for a region of up to `size` from the limit; returns how many it may have.
unsigned take_threads(unsigned size, int limit) noexcept {
  atomic<int>& used = threads_in_regions();
  // Relaxed: a number that orders nothing.
  int before = used.load(memory_order_relaxed);
  int more = 0;
  do {
    more = std::clamp(limit - 1 - before, 0, static_cast<int>(size) - 1);
    // Relaxed, also on failure: as above.
  } while (!used.compare_exchange_weak(before, before + more, memory_order_relaxed,
                                       memory_order_relaxed));
  return static_cast<unsigned>(more) + 1;
}

// The values of a region's implicit tasks differ from those of the task that opens it where a list
// in the environment says so for the level.
void step_down(control_values& values, int level) {
  const environment_values& all = environment();
  const auto at = static_cast<std::size_t>(level);
  if (at < all.threads_by_level.size()) {
    values.threads = all.threads_by_level[at];
  }
  if (at < all.bind_by_level.size()) {
    values.proc_bind = all.bind_by_level[at];
  }
}

bool has_lists() noexcept {
  return environment().threads_by_level.size() > 1 || environment().bind_by_level.size() > 1;
}

}  // namespace

const region_place& outermost_place() noexcept {
  static const region_place place{.values = &environment().initial};
  return place;
}

implicit_part& part_of(thread& self) noexcept {
  return self.inner->own != nullptr ? *self.inner->own : find_outermost(self);
}

unsigned region_size(thread& self, unsigned wanted) noexcept {
  implicit_part& part = part_of(self);
  if (wanted == 0) {
    wanted = part.wanted_threads;
  }
  part.wanted_threads = 0;
  const control_values& values = part.current();
  if (part.place->active_level >= values.most_levels) {
    return 1;
  }
  auto size = wanted != 0 ? wanted : static_cast<unsigned>(std::max(values.threads, 1));
  if (values.dynamic != 0) {
    size = std::min(size, static_cast<unsigned>(environment().cpus));
  }
  return size;
}

unsigned run_with(thread& self, unsigned size, const region_call& call) noexcept {
  if (size == 1) {
    serial_region alone;
    alone.open(self);
    tell_if_wanted(self);
    call.run(self, call);
    alone.close(self);
    return 1;
  }
  open_region all;
  all.fork(self, size, call);
  all.team().run_part(self, 0, call);
  const unsigned got = all.team().size();
  all.join();
  return got;
}

unsigned run_region(thread& self, unsigned size, const region_call& call) noexcept {
  if (size > 1) {
    if (implicit_part& around = part_of(self); adapts(around.current())) [[unlikely]] {
      return run_adapted(self, around, size, call);
    }
  }
  return run_with(self, size, call);
}

void run_teams(thread& self, int teams, int thread_limit, const region_call& call) noexcept {
  // Relaxed, both: numbers that order nothing; see most_teams.
  const int count = teams > 0 ? teams : std::max(most_teams().load(memory_order_relaxed), 1);
  const int limit =
      thread_limit > 0 ? thread_limit : teams_thread_limit().load(memory_order_relaxed);
  league_binding placed{self, static_cast<std::uint32_t>(count)};
  for (int number = 0; number < count; ++number) {
    placed.begin_team(static_cast<std::uint32_t>(number));
    serial_region team;
    team.open(self);
    // A league is no parallel region.
    --team.place.level;
    team.part.team_number = number;
    team.part.teams = count;
    if (limit > 0) {
      control_values& values = team.part.own();
      values.thread_limit = std::min(values.thread_limit, limit);
      values.threads = std::min(values.threads, limit);
    }
    call.run(self, call);
    team.close(self);
  }
}

bool begin_single(implicit_part& part) noexcept {
  if (part.shared == nullptr) {
    return true;
  }
  std::uint32_t mine = part.singles++;
  atomic<std::uint32_t>& begun = part.shared->singles;
  // Relaxed: it only chooses. Who has run the latest one claims this one by one exchange. The others
  // look first: most often they come later, and then they leave the line to read to that thread.
  part.ran_single =
      (part.ran_single || begun.load(memory_order_relaxed) == mine) &&
      begun.compare_exchange_strong(mine, mine + 1, memory_order_relaxed, memory_order_relaxed);
  if (!part.ran_single) {
    return false;
  }
  // Of an earlier one: all have it. Looked at first, because others read this line by now: a store
  // would take it from them, and the barrier's exchange wait for that.
  if (part.shared->copyprivate.load(memory_order_relaxed) != nullptr) {
    part.shared->copyprivate.store(nullptr, memory_order_relaxed);
  }
  return true;
}

void* data_of_single(const worksharing& shared) noexcept {
  void* data = nullptr;
  // Acquire: pairs with the release of the thread that has run it. Only in a cancelled region that
  // has not been yet.
  wait_until([&] { return (data = shared.copyprivate.load(memory_order_acquire)) != nullptr; });
  return data;
}

const implicit_part* team_around(const implicit_part& part) noexcept {
  const implicit_part* each = &part;
  while (each != nullptr && each->teams == 0) {
    each = each->place->outer;
  }
  return each;
}

void open_region::fork(thread& self, unsigned size, const region_call& call) noexcept {
  outer_ = &part_of(self);
  outer_values_ = outer_->values;
  if (const int limit = outer_->current().thread_limit; limit != kNoThreadLimit) {
    size = limited_size_ = take_threads(size, limit);
  }
  if (has_lists()) [[unlikely]] {
    if (outer_->wanted_binding == 0) {
      outer_->wanted_binding = static_cast<std::uint8_t>(outer_->current().proc_bind);
    }
    at_level_ = outer_->current();
    step_down(at_level_, outer_->place->level + 1);
    outer_->values = &at_level_;  // what the region's tasks inherit
  }
  team_ = &hot_team::of(self);
  team_->fork(self, size, call);
}

void open_region::join() noexcept {
  team_->join();
  outer_->values = outer_values_;
  if (limited_size_ != 0) {
    // Relaxed: as in take_threads.
    threads_in_regions().fetch_sub(static_cast<int>(limited_size_) - 1, memory_order_relaxed);
  }
}

void serial_region::open(thread& self) noexcept {
  implicit_part& around = part_of(self);
  around.wanted_binding = 0;
  if (environment().initial.proc_bind != 0) [[unlikely]] {
    bind_initial_thread(self);
  }
  lie_in(around);
  part.place = &place;
  if (has_lists()) [[unlikely]] {
    step_down(part.own(), place.level);
  }
  tasks_before = self.tasks;
  self.enter(*this, own_region, 0, 1, static_cast<int>(self.id) - 1);
  own = &part;
  ++self.regions;
}

void serial_region::close(thread& self) noexcept {
  end_part(self);
  // A team of a league is followed by others: see league_binding.
  if (environment().initial.proc_bind != 0 && part.teams == 0) [[unlikely]] {
    release_initial_thread(self);
  }
  dissolve(own_region);
}

kept_region::kept_region() noexcept
    : keeps_{environment().initial.proc_bind == 0 && !has_lists() &&
             !environment().displays_affinity} {}

void kept_region::make(thread& self) noexcept {
  made_.emplace().open(self);
  tell_if_wanted(self);
}

void kept_region::unmake(thread& self) noexcept {
  made_->close(self);
  made_.reset();
}

}  // namespace fg::omp::runtime

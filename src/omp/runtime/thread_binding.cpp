// SPDX-License-Identifier: Apache-2.0
#include "thread_binding.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "../settings.hpp"
#include "binding_request.hpp"
#include "finegrain/core/atomic.hpp"
#include "hot_team.hpp"
#include "places.hpp"

namespace fg::omp::runtime {
namespace {

// Of a thread that is no worker, in the code outside of regions.
struct initial_placement {
  placement where;
  bool is_bound = false;
};

initial_placement& initial() noexcept {
  static constinit thread_local initial_placement mine;
  return mine;
}

int count_places() noexcept { return static_cast<int>(places().places.size()); }

// Of a thread that is at no place.
placement nowhere() noexcept { return {.place = -1, .first = 0, .count = count_places()}; }

// A place may be of CPUs that were taken from the process meanwhile.
void tell_failure(int number, int error) noexcept {
  static constinit atomic<bool> is_told{false};
  if (!is_told.exchange(true, memory_order_relaxed)) {  // it orders nothing
    std::fprintf(stderr, "finegrain-omp: a thread cannot be bound to place %d: %s\n", number,
                 std::strerror(error));  // NOLINT(concurrency-mt-unsafe): only texts of the system
  }
}

void bind_thread(pthread_t which, int number) noexcept {
  if (const int error = places().masks[static_cast<std::size_t>(number)].bind(which)) {
    tell_failure(number, error);
  }
}

void bind_caller(int number) noexcept { bind_thread(pthread_self(), number); }

// Of an initial thread, outside of regions.
void release_caller() noexcept {
  if (initial().is_bound && requested_binding().resets) {
    initial() = {};
    static_cast<void>(places().at_start.bind(pthread_self()));
  }
}

// The team of the innermost region that has others' threads, and the calling thread's number in it.
struct membership {
  team_binding* team = nullptr;  ///< null: none
  std::size_t number = 0;
};
membership membership_of(const thread& self) noexcept {
  for (const frame* each = self.inner; each != nullptr; each = each->outer) {
    if (each->threads != nullptr) {
      return {static_cast<hot_team*>(each->threads)->team_places(), each->number};
    }
  }
  return {};
}

// Whether the thread is in no region, not even one of one thread. A target construct on the host is none.
bool is_outside_regions(const thread& self) noexcept {
  for (const frame* each = self.inner; each != nullptr; each = each->outer) {
    if (each->own != nullptr && each->own->place != &outermost_place()) {
      return false;
    }
  }
  return true;
}

// By the clause if there is one and the variable allows it.
binding take_wanted_binding(implicit_part& part) noexcept {
  const auto by_clause = static_cast<binding>(std::exchange(part.wanted_binding, 0));
  const auto by_variable = static_cast<binding>(part.current().proc_bind);
  const bool has_clause = by_clause != binding::none && by_variable != binding::none;
  const binding how = has_clause ? by_clause : by_variable;
  return how == binding::any ? requested_binding().any : how;
}

}  // namespace

std::unique_ptr<team_binding> team_binding::make() noexcept {
  if (places().places.empty()) {
    return nullptr;
  }
  std::unique_ptr<team_binding> made{new (std::nothrow) team_binding};
  if (made == nullptr) {
    end_without_memory("places");
  }
  return made;
}

bool team_binding::arrange(thread& self, std::uint32_t size) noexcept {
  is_outermost_ = is_outside_regions(self);
  bind_initial_thread(self);
  const shape next{
      .how = take_wanted_binding(part_of(self)), .size = size, .parent = placement_of(self)};
  if (next == shape_) {
    // The leader may have been bound anew, after a choice of the program that ended with a region.
    threads_[0].place = next.how == binding::none ? -1 : next.parent.place;
    return false;
  }
  static constinit atomic<std::uint64_t> stamps{0};
  stamp_ = 1 + stamps.fetch_add(1, memory_order_relaxed);  // a number of its own
  shape_ = next;
  try {
    threads_.resize(size);
    bound_to_.resize(std::max<std::size_t>(bound_to_.size(), size), -1);
    for (std::uint32_t number = 0; number < size; ++number) {
      threads_[number] = place_thread(next.how, number, size, next.parent);
    }
    is_tight_ = find_tight();
  } catch (const std::bad_alloc&) {
    end_without_memory("places");
  }
  return true;
}

bool team_binding::find_tight() const {
  const std::vector<place>& all = places().places;
  std::vector<std::size_t> threads(all.size());
  return std::ranges::any_of(threads_, [&](const placement& each) {
    const auto at = static_cast<std::size_t>(each.place);
    return each.place >= 0 && ++threads[at] > all[at].size();
  });
}

void team_binding::bind(std::uint32_t number, pthread_t worker) noexcept {
  const int wanted = threads_[number].place;
  if (wanted >= 0 && bound_to_[number] != wanted) {
    bound_to_[number] = wanted;
    bind_thread(worker, wanted);
  }
}

void team_binding::forget(std::size_t number) noexcept {
  threads_[number] = nowhere();
  bound_to_[number] = -1;
}

void team_binding::end_region() const noexcept {
  if (is_outermost_) {
    release_caller();
  }
}

void team_binding::forget_workers() noexcept {
  shape_ = {};
  bound_to_.clear();
}

void bind_initial_thread(const thread& self) noexcept {
  if (!initial().is_bound && count_places() > 0 && membership_of(self).team == nullptr) {
    initial() = {.where = {.place = 0, .first = 0, .count = count_places()}, .is_bound = true};
    bind_caller(0);
  }
}

void release_initial_thread(const thread& self) noexcept {
  if (is_outside_regions(self)) {
    release_caller();
  }
}

placement& placement_of(const thread& self) noexcept {
  if (const membership mine = membership_of(self); mine.team != nullptr) {
    return mine.team->of(mine.number);
  }
  if (!initial().is_bound) {
    initial().where = nowhere();
  }
  return initial().where;
}

void forget_placement(const thread& self) noexcept {
  for (const frame* each = self.inner; each != nullptr; each = each->outer) {
    auto* const threads = static_cast<hot_team*>(each->threads);
    if (threads != nullptr && threads->team_places() != nullptr) {
      threads->team_places()->forget(each->number);
    }
  }
  initial() = {.where = nowhere(), .is_bound = true};  // by the program
}

std::uint64_t placement_stamp(const thread& self) noexcept {
  const membership mine = membership_of(self);
  return mine.team != nullptr ? mine.team->stamp() : 0;
}

league_binding::league_binding(thread& self, std::uint32_t teams) noexcept : teams_{teams} {
  if (count_places() > 0) {
    is_outermost_ = is_outside_regions(self);
    bind_initial_thread(self);
    own_ = &placement_of(self);
    before_ = *own_;
  }
}

league_binding::~league_binding() {
  move_to(before_);
  if (is_outermost_) {
    release_caller();
  }
}

void league_binding::begin_team(std::uint32_t number) noexcept {
  move_to(place_thread(requested_binding().of_teams, number, teams_, before_));
}

void league_binding::move_to(const placement& next) noexcept {
  if (own_ != nullptr) {
    if (next.place >= 0 && next.place != own_->place) {
      bind_caller(next.place);
    }
    *own_ = next;
  }
}

}  // namespace fg::omp::runtime

// SPDX-License-Identifier: Apache-2.0
#include "worksharing.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "../settings.hpp"
#include "waiting.hpp"

namespace fg::omp::runtime {
namespace {

// Every so many loops with shares have a `shared_loop`, too, of which threads are at most
// kSharedLoops ahead: so they are no further apart than shares allow.
constexpr loop_share::loop_number kLoopsPerMeeting = 1024;
static_assert((kSharedLoops + 1) * kLoopsPerMeeting <= loop_share::kMostAhead);

}  // namespace

void worksharing::clean() noexcept {
  for (shared_loop& each : loops) {
    std::free(each.memory.load(memory_order_relaxed));
    each.clean();
  }
  renew(kSharedLoops, true);
}

void loop_wish::follow(const control_values& values) noexcept {
  const auto asked = static_cast<unsigned>(values.schedule);
  schedule = kind_of(asked) == schedule_kind::trapezoidal ? schedule_kind::guided : kind_of(asked);
  is_nonmonotonic = is_nonmonotonic && (asked & kMonotonic) == 0;
  chunk = static_cast<std::uint64_t>(std::max(values.chunk, 0));
}

void loop_part::enter(const loop_wish& wish, worksharing* shared, loop_counts& counts,
                      std::uint32_t number, std::uint32_t size) noexcept {
  wish_ = wish;
  number_ = number;
  size_ = size;
  position_ = 0;
  has_order_ = false;
  shared_ = nullptr;
  steals_ = false;
  region_ = shared;
  if (shared == nullptr) {
    return;
  }
  const bool hands_out =
      wish.schedule == schedule_kind::dynamic || wish.schedule == schedule_kind::guided;
  bool needs_shared = wish.is_shared || wish.is_ordered || hands_out;
  if (wish.schedule == schedule_kind::dynamic && wish.is_nonmonotonic && !wish.is_ordered &&
      size > 1) {
    enter_stealing(counts);
    needs_shared = wish.is_shared || loop_ % kLoopsPerMeeting == 0;
  }
  if (!needs_shared) {
    return;
  }
  construct_ = counts.shared++;
  shared_ = &shared->loops[construct_ % kSharedLoops];
  // Acquire: pairs with the release in leave, after which it is clean.
  const auto is_ready = [this] {
    return shared_->construct.load(memory_order_acquire) == construct_;
  };
  wait_until([&] { return is_ready() || region_->cancelling.is_cancelled(); });
  if (!is_ready()) {
    // In a cancelled region a thread that is far behind may never leave. Others leave what it may
    // still use alone, and have no iterations.
    shared_ = nullptr;
    steals_ = false;
    wish_ = {};
  }
}

bool loop_part::next(iterations& taken) noexcept {
  if (steals_) {
    return next_stealing(taken);
  }
  pass_order();
  bool got = false;
  if (size_ == 1) {
    taken = {.first = position_, .end = wish_.one_by_one ? position_ + 1 : wish_.count};
    got = position_ < wish_.count;
    position_ = taken.end;
  } else if (wish_.schedule == schedule_kind::dynamic) {
    got = next_dynamic(taken);
  } else if (wish_.schedule == schedule_kind::guided) {
    got = next_guided(taken);
  } else {
    got = next_static(taken);
  }
  if (got) {
    current_ = taken;
    has_order_ = wish_.is_ordered && shared_ != nullptr;
  }
  return got;
}

// Without a chunk, one range for each thread, whose lengths differ by one at most.
bool loop_part::next_static(iterations& taken) noexcept {
  const std::uint64_t count = wish_.count;
  if (wish_.chunk == 0) {
    const std::uint64_t each = count / size_;
    const std::uint64_t more = count % size_;
    taken.first = each * number_ + std::min<std::uint64_t>(number_, more);
    taken.end = taken.first + each + (number_ < more ? 1 : 0);
    return position_++ == 0 && taken.first != taken.end;
  }
  // In 128 bits: the chunk and the number of threads are the program's.
  __extension__ using wide = unsigned __int128;
  const wide first = (wide{position_} * size_ + number_) * wish_.chunk;
  if (first >= count) {
    return false;
  }
  ++position_;
  taken.first = static_cast<std::uint64_t>(first);
  taken.end = taken.first + std::min(wish_.chunk, count - taken.first);
  return true;
}

bool loop_part::next_dynamic(iterations& taken) noexcept {
  atomic<std::uint64_t>& next = shared_->next;
  const std::uint64_t chunk = std::max<std::uint64_t>(wish_.chunk, 1);
  // Relaxed, as all accesses to it: a number that publishes nothing.
  std::uint64_t first = next.load(memory_order_relaxed);
  // One addition where it cannot overflow though each thread adds a chunk at the end.
  if (wish_.count < std::numeric_limits<std::uint64_t>::max() / 2 &&
      chunk < std::numeric_limits<std::uint64_t>::max() / 2 / (std::uint64_t{size_} + 1)) {
    if (first >= wish_.count) {
      return false;
    }
    first = next.fetch_add(chunk, memory_order_relaxed);  // as above
    if (first >= wish_.count) {
      return false;
    }
  } else {
    do {
      if (first >= wish_.count) {
        return false;
      }
      // Relaxed, both, as above.
    } while (!next.compare_exchange_weak(first, first + std::min(chunk, wish_.count - first),
                                         memory_order_relaxed, memory_order_relaxed));
  }
  taken = {.first = first, .end = first + std::min(chunk, wish_.count - first)};
  return true;
}

// Each takes its share of what is left, at least a chunk, as in GNU's runtime.
bool loop_part::next_guided(iterations& taken) noexcept {
  atomic<std::uint64_t>& next = shared_->next;
  // Relaxed, as the exchange below: see next_dynamic.
  std::uint64_t first = next.load(memory_order_relaxed);
  std::uint64_t taking = 0;
  do {
    if (first >= wish_.count) {
      return false;
    }
    const std::uint64_t remaining = wish_.count - first;
    const std::uint64_t share = remaining / size_ + (remaining % size_ != 0 ? 1 : 0);
    const std::uint64_t chunk = std::max<std::uint64_t>(wish_.chunk, 1);
    taking = std::max(share, chunk);
    taking = std::min(wish_.in_whole_chunks ? taking / chunk * chunk : taking, remaining);
  } while (!next.compare_exchange_weak(first, first + taking, memory_order_relaxed,
                                       memory_order_relaxed));
  taken = {.first = first, .end = first + taking};
  return true;
}

// Units are chunks, or several of them where a share cannot count so many.
void loop_part::enter_stealing(loop_counts& counts) noexcept {
  const auto parts_of = [](std::uint64_t count, std::uint64_t size) {
    return count / size + (count % size != 0 ? 1 : 0);
  };
  steals_ = true;
  last_unit_ = last_unit::elsewhere;
  loop_ = ++counts.stealing;
  held_ = {.first = 0, .end = 0};
  const std::uint64_t chunk = std::max<std::uint64_t>(wish_.chunk, 1);
  const std::uint64_t chunks = parts_of(wish_.count, chunk);
  const std::uint64_t chunks_per_unit = parts_of(chunks, loop_share::kMostUnits);
  unit_ = chunk * chunks_per_unit;
  units_ = chunks == 0 ? 0 : static_cast<std::uint32_t>(parts_of(chunks, chunks_per_unit));
  region_->shares[number_].enter(loop_, first_units_of(number_));
}

loop_units loop_part::first_units_of(std::uint32_t number) const noexcept {
  const auto until = [this](std::uint64_t threads) {
    return static_cast<std::uint32_t>(units_ * threads / size_);
  };
  return {.begin = until(number), .end = until(std::uint64_t{number} + 1)};
}

// Compilers take a lastprivate variable's value from the thread that has had the last iteration,
// after all that this thread has had: so nothing may come after it.
loop_units loop_part::next_units() noexcept {
  const auto find = [this] {
    return take_or_steal(region_->shares.get(), loop_, number_, size_,
                         [this](std::uint32_t number) { return first_units_of(number); });
  };
  if (last_unit_ == last_unit::returned) {
    return {};
  }
  loop_units units = find();
  if (!units.empty() && units.end == units_) {
    last_unit_ = last_unit::set_aside;
    --units.end;
    if (units.empty()) {
      units = find();
    }
  }
  if (units.empty() && last_unit_ == last_unit::set_aside) {
    last_unit_ = last_unit::returned;
    return {units_ - 1, units_};
  }
  return units;
}

bool loop_part::hold_more() noexcept {
  const loop_units units = next_units();
  __extension__ using wide = unsigned __int128;  // the last unit may end beyond 64 bits
  held_.first = units.begin * unit_;
  held_.end = static_cast<std::uint64_t>(std::min<wide>(wide{units.end} * unit_, wish_.count));
  return !units.empty();
}

bool loop_part::next_stealing(iterations& taken) noexcept {
  if (held_.first == held_.end && !hold_more()) {
    return false;
  }
  const std::uint64_t chunk = std::max<std::uint64_t>(wish_.chunk, 1);
  taken = {.first = held_.first, .end = held_.first + std::min(chunk, held_.end - held_.first)};
  held_.first = taken.end;
  return true;
}

void loop_part::wait_for_order() const noexcept {
  if (has_order_) {
    // Acquire: pairs with the release in pass_order.
    wait_until([this] {
      return shared_->ordered.load(memory_order_acquire) == current_.first ||
             region_->cancelling.is_cancelled();
    });
  }
}

// Iterations that had no ordered part are passed in order, too: they wait for those before them.
void loop_part::pass_order() noexcept {
  if (has_order_) {
    wait_for_order();
    // Release: pairs with the acquire in wait_for_order.
    shared_->ordered.store(current_.end, memory_order_release);
    has_order_ = false;
  }
}

void* loop_part::memory(std::size_t bytes) noexcept {
  const auto allocate = [bytes] {
    void* const made = std::calloc(1, bytes);
    if (made == nullptr) {
      end_without_memory("a worksharing construct");
    }
    return made;
  };
  if (shared_ == nullptr) {
    return alone_ != nullptr ? alone_ : alone_ = allocate();
  }
  // Acquire: pairs with the release of the first one's exchange.
  void* found = shared_->memory.load(memory_order_acquire);
  if (found != nullptr) {
    return found;
  }
  void* const made = allocate();
  if (shared_->memory.compare_exchange_strong(found, made, memory_order_release,
                                              memory_order_acquire)) {
    return made;
  }
  std::free(made);
  return found;
}

void loop_part::leave() noexcept {
  pass_order();
  std::free(std::exchange(alone_, nullptr));
  shared_loop* const own = shared_;
  if (own == nullptr) {
    return;
  }
  shared_ = nullptr;
  // Each addition releases a thread's last accesses; the last one acquires those of all.
  if (own->left.fetch_add(1, memory_order_acq_rel) + 1 != size_) {
    return;
  }
  // The last one: nobody else accesses it before the release below. Relaxed until then.
  std::free(own->memory.load(memory_order_relaxed));
  own->clean();
  // Release: pairs with the acquire in enter.
  own->construct.store(construct_ + kSharedLoops, memory_order_release);
}

}  // namespace fg::omp::runtime

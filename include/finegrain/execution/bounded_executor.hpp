// An executor with bounds: on the closures that wait in a pool, and on how long a post waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>

#include "finegrain/core/errors.hpp"
#include "finegrain/pool/pool.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A `pool_executor` through which only so many closures wait at once: those posted by it and its
/// copies that have not begun. A post that finds no place waits for one, but not for longer than it
/// may; so a program whose pool is too slow learns that, rather than run out of memory.
///
///     const fg::bounded_executor executor{pool, 1'000, std::chrono::milliseconds{5}};
///     if (!executor.try_execute([=] { answer(request); })) {
///       refuse(request);                       // 1,000 others wait
///     }
///
/// Cheap to copy; two are equal if one is a copy of the other. Requires: the pool outlives it. All
/// functions: any thread. A closure begins when `pool.post` says, and gives its place back then;
/// those of one thread begin in the order of their posting. Threads that wait get places in no
/// particular order. A thread of the pool may wait, too; if all of them do, none makes a place.
class bounded_executor {
 public:
  /// `most_waiting` closures, at least one. `most_wait`: how long `execute` waits. Throws
  /// std::bad_alloc.
  bounded_executor(fg::pool& pool, std::size_t most_waiting, std::chrono::nanoseconds most_wait)
      : pool_{&pool}, places_{std::make_shared<places>(most_waiting)}, most_wait_{most_wait} {
    FINEGRAIN_EXPECTS(most_waiting != 0, "a bounded_executor needs room for one closure");
  }

  /// `pool.post(f)`. Throws std::system_error, std::errc::timed_out, if there was no place in time;
  /// std::bad_alloc; and what copying `f` throws. Then nothing was posted.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void execute(F&& f) const {
    if (!try_execute_for(most_wait_, std::forward<F>(f))) {
      detail::raise(std::system_error{std::make_error_code(std::errc::timed_out),
                                      "finegrain: no place for a closure"});
    }
  }

  /// The same, but false, at once, if there is no place.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  [[nodiscard]] bool try_execute(F&& f) const {
    return try_execute_for(std::chrono::nanoseconds{0}, std::forward<F>(f));
  }

  /// The same, but false if there was no place within `most_wait`.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  [[nodiscard]] bool try_execute_for(std::chrono::nanoseconds most_wait, F&& f) const {
    if (!places_->take(most_wait)) {
      return false;
    }
    pool_->post(
        [place = taken_place{places_}, own = std::decay_t<F>(std::forward<F>(f))]() mutable {
          place.give_back();
          static_cast<void>(own());
        });
    return true;
  }

  /// As `pool_executor::query`.
  template <class Blocking, class Never = typename Blocking::polymorphic_query_result_type::never_t>
  static constexpr Never query(Blocking /*property*/) noexcept {
    return {};
  }

  [[nodiscard]] fg::pool& pool() const noexcept { return *pool_; }

  friend bool operator==(const bounded_executor&, const bounded_executor&) noexcept = default;

 private:
  class places {
   public:
    explicit places(std::size_t count) noexcept : free_{count} {}

    bool take(std::chrono::nanoseconds most_wait) {
      // A year, the end of which can be represented.
      const auto wait = std::min<std::chrono::nanoseconds>(most_wait, std::chrono::hours{24 * 365});
      std::unique_lock lock{mutex_};
      if (!one_is_free_.wait_for(lock, wait, [this] { return free_ != 0; })) {
        return false;
      }
      --free_;
      return true;
    }
    void give_back() {
      const std::lock_guard lock{mutex_};
      ++free_;
      one_is_free_.notify_one();
    }

   private:
    std::mutex mutex_;
    std::condition_variable one_is_free_;
    std::size_t free_;
  };

  // In a closure that waits. Given back when it begins, or when it could not be posted.
  class taken_place {
   public:
    explicit taken_place(std::shared_ptr<places> all) noexcept : all_{std::move(all)} {}
    taken_place(taken_place&&) noexcept = default;
    taken_place& operator=(taken_place&&) = delete;
    ~taken_place() { give_back(); }

    void give_back() {
      if (all_ != nullptr) {
        std::exchange(all_, nullptr)->give_back();
      }
    }

   private:
    std::shared_ptr<places> all_;
  };

  fg::pool* pool_;
  std::shared_ptr<places> places_;
  std::chrono::nanoseconds most_wait_;
};

}  // namespace fg::inline FINEGRAIN_ABI

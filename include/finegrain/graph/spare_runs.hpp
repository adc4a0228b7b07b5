// Runs of a graph beside another one of the same graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/stealing_run.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What a run has of its own: its end, its choices, and what its nodes wait for.
class spare_run {
 public:
  /// Throws std::bad_alloc.
  spare_run(const precedence& edges, std::span<const node_body> bodies, std::size_t choices)
      : chosen_(choices),
        run_{.end = end_, .chosen = chosen_.data()},
        tasks_{edges, run_, untimed_} {
    tasks_.rebuild(bodies);
  }
  spare_run(const spare_run&) = delete;
  spare_run& operator=(const spare_run&) = delete;

  [[nodiscard]] graph_run& run() noexcept { return run_; }
  [[nodiscard]] stealing_run& tasks() noexcept { return tasks_; }

 private:
  early_end end_;
  std::vector<std::uint32_t> chosen_;
  graph_run run_;
  node_times untimed_;
  stealing_run tasks_;
};

/// Spare runs that are used again. Whoever has taken one has it to itself until it gives it back.
///
/// A place is taken by the thread whose exchange has found it free, and is given back by a store: so
/// one after the other uses the run in it.
class spare_runs {
 public:
  spare_runs() = default;
  spare_runs(const spare_runs&) = delete;
  spare_runs& operator=(const spare_runs&) = delete;

  /// A run that nobody else has, while it lives.
  class taken {
   public:
    taken(atomic<bool>* place, spare_run& run) noexcept : place_{place}, run_{run} {}
    ~taken() {
      static_cast<void>(run_.run().end.take());  // if a stop was requested
      if (place_ != nullptr) {
        // Release: pairs with the acquire in take.
        place_->store(false, memory_order_release);
      } else {
        delete &run_;
      }
    }
    taken(const taken&) = delete;
    taken& operator=(const taken&) = delete;

    [[nodiscard]] spare_run& operator*() const noexcept { return run_; }
    [[nodiscard]] spare_run* operator->() const noexcept { return &run_; }

   private:
    atomic<bool>* place_;  // null: it has none, as all were taken
    spare_run& run_;
  };

  /// `make()` makes one, a std::unique_ptr, when there are not yet so many. Any thread. Throws what it
  /// throws.
  template <class Make>
  [[nodiscard]] taken take(Make make) {
    for (place& each : places_) {
      // Relaxed: a guess, for the exchange. Acquire: pairs with the release in ~taken, after which the
      // run is this thread's.
      if (!each.is_taken.load(memory_order_relaxed) &&
          !each.is_taken.exchange(true, memory_order_acquire)) {
        return use(each, make);
      }
    }
    return {nullptr, *make().release()};
  }

  /// Makes some now. Requires, like `clear`: none is taken.
  template <class Make>
  void make_first(std::size_t runs, Make make) {
    for (place& each : places_) {
      if (runs-- == 0) {
        return;
      }
      if (each.run == nullptr) {
        each.run = make();
      }
    }
  }

  /// They are of a graph that has changed.
  void clear() noexcept {
    for (place& each : places_) {
      each.run = nullptr;
    }
  }

 private:
  struct alignas(kCacheLineBytes) place {
    atomic<bool> is_taken{false};
    std::unique_ptr<spare_run> run;  // of whoever has taken the place
  };

  template <class Make>
  static taken use(place& own, Make& make) {
    FINEGRAIN_TRY {
      if (own.run == nullptr) {
        own.run = make();
      }
    }
    FINEGRAIN_CATCH(...) {
      own.is_taken.store(false, memory_order_release);  // release: as in ~taken
      FINEGRAIN_RETHROW;
    }
    return {&own.is_taken, *own.run};
  }

  // As many as most machines' threads; beyond them each run makes its own.
  static constexpr std::size_t kPlaces = 64;

  std::array<place, kPlaces> places_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

// Binds threads to places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../thread.hpp"
#include "placement.hpp"

namespace fg::omp::runtime {

/// Where the threads of a hot team are. The leader binds them, before they get their parts of a
/// region: so a worker does nothing for it, and a region that is like the one before costs some
/// comparisons on the leader, without a system call.
class team_binding {
 public:
  /// Null if threads are not bound. Ends the program if memory runs out.
  static std::unique_ptr<team_binding> make() noexcept;

  /// Places the threads of a region that the calling thread, the leader, opens; returns whether
  /// anything has changed. The workers are then to be bound. Ends the program if memory runs out.
  bool arrange(thread& self, std::uint32_t size) noexcept;
  /// Binds a worker to its place unless it is. Leader only, while the worker waits for a region.
  void bind(std::uint32_t number, pthread_t worker) noexcept;
  /// After a region. Leader only.
  void end_region() const noexcept;
  /// The CPUs of the region's thread `number` are now the program's choice. On that thread.
  void forget(std::size_t number) noexcept;
  /// The workers have ended.
  void forget_workers() noexcept;

  /// Of the region's thread `number`: only that thread, or the leader between regions.
  [[nodiscard]] placement& of(std::size_t number) noexcept { return threads_[number]; }
  /// Whether some place has more threads than CPUs.
  [[nodiscard]] bool is_tight() const noexcept { return is_tight_; }
  /// Differs from all earlier ones after `arrange` has changed something.
  [[nodiscard]] std::uint64_t stamp() const noexcept { return stamp_; }

 private:
  // What decides where threads are.
  struct shape {
    binding how = binding::none;
    std::uint32_t size = 0;
    placement parent;

    bool operator==(const shape&) const = default;
  };
  [[nodiscard]] bool find_tight() const;

  shape shape_;
  std::vector<placement> threads_;
  std::vector<int> bound_to_;  // of workers; -1: not by us
  std::uint64_t stamp_ = 0;
  bool is_tight_ = false;
  bool is_outermost_ = false;
};

/// Binds the calling thread to the first place if it is no worker and nobody has bound it. Called
/// at the beginning of a region, if threads are bound.
void bind_initial_thread(const thread& self) noexcept;

/// Takes that back at the end of an outermost region, if KMP_AFFINITY says so (reset).
void release_initial_thread(const thread& self) noexcept;

/// Where the calling thread is: in its region, or outside of all.
placement& placement_of(const thread& self) noexcept;

/// The CPUs of the calling thread are now the program's choice, in its region and in those around.
void forget_placement(const thread& self) noexcept;

/// Changes when the place of a thread of the innermost region does.
std::uint64_t placement_stamp(const thread& self) noexcept;

/// The places of a league's teams, which run one after another on the calling thread.
class league_binding {
 public:
  league_binding(thread& self, std::uint32_t teams) noexcept;
  league_binding(const league_binding&) = delete;
  league_binding& operator=(const league_binding&) = delete;
  ~league_binding();
  /// Before team `number`.
  void begin_team(std::uint32_t number) noexcept;

 private:
  void move_to(const placement& next) noexcept;

  placement* own_ = nullptr;  // null: threads are not bound
  placement before_;
  std::uint32_t teams_;
  bool is_outermost_ = false;
};

}  // namespace fg::omp::runtime

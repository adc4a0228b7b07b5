// Records which CPUs this process's relics and pools use, so that no two threads are pinned to one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/thread/fork.hpp"

namespace fg::inline FINEGRAIN_SHARED_ABI::shared {

/// The CPUs of one relic.
struct relic_cpus {
  int main_cpu = -1;
  int assistant_cpu = -1;
  std::uint64_t generation = 0;
};

/// One CPU of a pool.
struct pool_cpu {
  int cpu;
  bool is_tied;  ///< a thread is pinned to it; else it is left to the caller of `run`
  bool operator==(const pool_cpu&) const = default;
};

/// The data of a registry.
struct cpu_books {
  std::mutex mutex;
  std::uint64_t generation = 0;    // forks that led to this process
  std::vector<relic_cpus> relics;  // in use
  std::vector<pool_cpu> pools;
};

/// The books of this process. Never destroyed, so static destructors can use them too.
inline cpu_books& cpu_books_of_process() {
  static auto* const books = new cpu_books;
  return *books;
}

}  // namespace fg::inline FINEGRAIN_SHARED_ABI::shared

namespace fg::inline FINEGRAIN_ABI::detail {

using shared::pool_cpu;

class cpu_registry;

/// Holds two CPUs, the assistant's and the main thread's, as long as it lives. Empty if constructed
/// by default or moved from. One thread at a time; different claims may be used at once.
class cpu_claim {
 public:
  cpu_claim() noexcept = default;
  cpu_claim(cpu_claim&& other) noexcept
      : registry_{std::exchange(other.registry_, nullptr)}, held_{other.held_} {}
  cpu_claim& operator=(cpu_claim&& other) noexcept {
    if (this != &other) {
      release();
      registry_ = std::exchange(other.registry_, nullptr);
      held_ = other.held_;
    }
    return *this;
  }
  ~cpu_claim() { release(); }

  /// Gives the CPUs back; empty afterwards.
  void release() noexcept;

  [[nodiscard]] bool empty() const noexcept { return registry_ == nullptr; }

 private:
  friend class cpu_registry;
  cpu_claim(cpu_registry& registry, shared::relic_cpus held) noexcept
      : registry_{&registry}, held_{held} {}

  cpu_registry* registry_ = nullptr;
  shared::relic_cpus held_;
};

/// A choice and the claim on it; the claim is empty if there is no CPU for an assistant.
struct claimed_placement {
  placement where;
  cpu_claim claim;
};

/// Holds the CPUs of a pool as long as it lives. Empty if constructed by default or moved from. One
/// thread at a time; different claims may be used at once.
class pool_cpu_claim {
 public:
  pool_cpu_claim() noexcept = default;
  pool_cpu_claim(pool_cpu_claim&& other) noexcept
      : registry_{std::exchange(other.registry_, nullptr)},
        generation_{other.generation_},
        held_{std::move(other.held_)} {}
  pool_cpu_claim& operator=(pool_cpu_claim&& other) noexcept {
    if (this != &other) {
      release();
      registry_ = std::exchange(other.registry_, nullptr);
      generation_ = other.generation_;
      held_ = std::move(other.held_);
    }
    return *this;
  }
  ~pool_cpu_claim() { release(); }

  /// Gives the CPUs back; empty afterwards.
  void release() noexcept { keep_only({}); }

  /// Gives back the CPUs to which no thread is pinned after all: all but `tied`. The caller's CPU
  /// is given back with the last of them.
  void keep_only(const std::vector<int>& tied) noexcept;

  /// A thread pinned to `tied` moves to `callers`, and leaves `tied` to the caller. False, with
  /// nothing changed, if another thread is pinned to `callers`. Requires: this claim holds both so.
  [[nodiscard]] bool try_swap(int tied, int callers) noexcept;

  /// Makes the claim empty, but leaves the CPUs taken: for threads that run forever, and in a
  /// forked child, whose books do not contain them.
  void abandon() noexcept { registry_ = nullptr; }

  [[nodiscard]] bool empty() const noexcept { return registry_ == nullptr; }

 private:
  friend class cpu_registry;
  pool_cpu_claim(cpu_registry& registry, std::uint64_t generation,
                 std::vector<pool_cpu> held) noexcept
      : registry_{&registry}, generation_{generation}, held_{std::move(held)} {}

  cpu_registry* registry_ = nullptr;
  std::uint64_t generation_ = 0;
  std::vector<pool_cpu> held_;
};

/// All CPUs in use, in any order, some more than once.
struct claimed_cpus {
  std::vector<int> tied{};     ///< an assistant or a pool's thread is pinned there
  std::vector<int> callers{};  ///< of main threads of relics, and of callers of pools
};

/// Keeps books on which CPUs are in use. Outlives its claims. Any thread.
///
/// There are two kinds of claims, because a relic without a CPU is useless, while a pool's thread
/// without one is merely not pinned:
///
///     claimant         a relic's CPU                a pool's CPU
///     a relic          never takes it, but the      takes it only if no other is free, so a pool
///                      next best, or works inline   never makes a relic work inline
///     a pool           never takes it: the thread is not pinned
///
/// The CPU of a main thread, or of a caller, counts as taken by it, but the claims of one thread
/// may share it: so a relic's main thread may have more relics, and make pools.
class cpu_registry {
 public:
  /// Requires: `books` outlives this.
  explicit cpu_registry(shared::cpu_books& books) noexcept : books_{books} {}
  cpu_registry(const cpu_registry&) = delete;
  cpu_registry& operator=(const cpu_registry&) = delete;

  /// This process's. Never destroyed: static destructors can use it too. Empty in a forked child.
  static cpu_registry& of_process() {
    static auto* const registry = new cpu_registry{shared::cpu_books_of_process()};
    install_handler();
    return *registry;
  }

  /// Calls `choose_placement` with the CPUs that are not taken and claims the choice, in one step.
  /// Throws std::bad_alloc; then nothing is claimed.
  [[nodiscard]] claimed_placement claim_placement(const host_view& host,
                                                  const std::vector<int>& allowed, int main_cpu) {
    const std::lock_guard lock{books_.mutex};
    claimed_placement claimed{
        .where = choose_placement(host, allowed, main_cpu, taken(std::nullopt), std::nullopt,
                                  cpus_of_pools_locked()),
        .claim = {}};
    if (claimed.where.assistant_cpu) {
      claimed.claim = add(main_cpu, *claimed.where.assistant_cpu);
    }
    return claimed;
  }

  /// Chooses again for a main thread that has moved to `main_cpu`. What `claim` holds counts as
  /// free, and the assistant stays where it is if nothing is better. Returns the new place, which
  /// `claim` then holds; without a CPU for an assistant `claim` keeps what it has. Requires:
  /// `claim` is not empty and of this registry. Throws std::bad_alloc; `claim` is unchanged then.
  [[nodiscard]] placement choose_again(cpu_claim& claim, const host_view& host,
                                       const std::vector<int>& allowed, int main_cpu) {
    const std::lock_guard lock{books_.mutex};
    placement where = choose_placement(host, allowed, main_cpu, taken(claim.held_),
                                       claim.held_.assistant_cpu, cpus_of_pools_locked());
    if (where.assistant_cpu) {
      relic_cpus& entry = *entry_of(claim.held_);
      entry = {.main_cpu = main_cpu,
               .assistant_cpu = *where.assistant_cpu,
               .generation = books_.generation};
      claim.held_ = entry;
    }
    return where;
  }

  /// Claims CPUs that the user chose; always succeeds, however many claims they have. Either may be
  /// -1, not known. Throws std::bad_alloc.
  [[nodiscard]] cpu_claim claim(int main_cpu, int assistant_cpu) {
    const std::lock_guard lock{books_.mutex};
    return add(main_cpu, assistant_cpu);
  }

  /// Passes what is in use to `choose` (`const claimed_cpus&`) and claims for a pool what it
  /// returns, a std::vector<pool_cpu>, in one step. Always succeeds; if nothing is chosen the claim
  /// is empty. Requires: `choose` does not use this registry. Throws std::bad_alloc and what
  /// `choose` throws; then nothing is claimed.
  template <class Choose>
  [[nodiscard]] pool_cpu_claim claim_for_pool(Choose choose) {
    const std::lock_guard lock{books_.mutex};
    std::vector<pool_cpu> chosen = choose(in_use());
    if (chosen.empty()) {
      return {};
    }
    books_.pools.insert(books_.pools.end(), chosen.begin(), chosen.end());
    return pool_cpu_claim{*this, books_.generation, std::move(chosen)};
  }

  /// The CPUs that relics use, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<int> cpus_in_use() const {
    const std::lock_guard lock{books_.mutex};
    return taken(std::nullopt);
  }

  /// The CPUs that pools use, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<int> cpus_of_pools() const {
    const std::lock_guard lock{books_.mutex};
    return cpus_of_pools_locked();
  }

  /// Starts with empty books in the child after fork(): the assistants stayed in the parent, and
  /// another thread may have been about to write here. Earlier claims are void. Leaks the memory of
  /// the old books. Requires: the child has only one thread so far.
  void reset_after_fork_in_child() noexcept {
    const std::uint64_t generation = books_.generation;
    // No destructors: the mutex may be locked, the lists half written.
    ::new (static_cast<void*>(&books_)) shared::cpu_books;
    books_.generation = generation + 1;
  }

 private:
  friend class cpu_claim;
  friend class pool_cpu_claim;
  using relic_cpus = shared::relic_cpus;

  // Hidden: see at_fork. Without memory a child finds the parent's claims: its relics work inline.
  FINEGRAIN_HIDDEN static void install_handler() noexcept {
    [[maybe_unused]] static const int installed =
        at_fork(nullptr, [] { of_process().reset_after_fork_in_child(); });
  }

  [[nodiscard]] cpu_claim add(int main_cpu, int assistant_cpu) {
    books_.relics.push_back(
        {.main_cpu = main_cpu, .assistant_cpu = assistant_cpu, .generation = books_.generation});
    return cpu_claim{*this, books_.relics.back()};
  }

  void remove(const relic_cpus& held) noexcept {
    const std::lock_guard lock{books_.mutex};
    if (held.generation == books_.generation) {
      books_.relics.erase(entry_of(held));
    }
  }

  void remove(pool_cpu held, std::uint64_t generation) noexcept {
    const std::lock_guard lock{books_.mutex};
    if (generation == books_.generation) {
      books_.pools.erase(std::find(books_.pools.begin(), books_.pools.end(), held));
    }
  }

  bool try_swap(int tied, int callers, std::uint64_t generation) noexcept {
    const std::lock_guard lock{books_.mutex};
    if (generation != books_.generation || is_tied(callers)) {
      return false;
    }
    // Finds both before it changes either: afterwards they may look alike.
    const auto of_thread =
        std::find(books_.pools.begin(), books_.pools.end(), pool_cpu{.cpu = tied, .is_tied = true});
    const auto of_caller = std::find(books_.pools.begin(), books_.pools.end(),
                                     pool_cpu{.cpu = callers, .is_tied = false});
    of_thread->is_tied = false;
    of_caller->is_tied = true;
    return true;
  }

  [[nodiscard]] bool is_tied(int cpu) const noexcept {
    const auto has_assistant_on_it = [cpu](const relic_cpus& held) {
      return held.assistant_cpu == cpu;
    };
    return std::any_of(books_.relics.begin(), books_.relics.end(), has_assistant_on_it) ||
           std::find(books_.pools.begin(), books_.pools.end(),
                     pool_cpu{.cpu = cpu, .is_tied = true}) != books_.pools.end();
  }

  [[nodiscard]] claimed_cpus in_use() const {
    claimed_cpus all;
    for (const relic_cpus& held : books_.relics) {
      all.tied.push_back(held.assistant_cpu);
      all.callers.push_back(held.main_cpu);
    }
    for (const pool_cpu& held : books_.pools) {
      (held.is_tied ? all.tied : all.callers).push_back(held.cpu);
    }
    return all;
  }

  [[nodiscard]] std::vector<int> cpus_of_pools_locked() const {
    std::vector<int> cpus;
    cpus.reserve(books_.pools.size());
    for (const pool_cpu& held : books_.pools) {
      cpus.push_back(held.cpu);
    }
    return ascending(std::move(cpus));
  }

  // Each CPU once, without unknown ones.
  [[nodiscard]] static std::vector<int> ascending(std::vector<int> cpus) {
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    std::erase(cpus, -1);
    return cpus;
  }

  [[nodiscard]] std::vector<relic_cpus>::iterator entry_of(const relic_cpus& held) noexcept {
    return std::find_if(
        books_.relics.begin(), books_.relics.end(), [&held](const relic_cpus& other) {
          return other.main_cpu == held.main_cpu && other.assistant_cpu == held.assistant_cpu;
        });
  }

  // All CPUs of all relics, except for one relic like `except`.
  [[nodiscard]] std::vector<int> taken(std::optional<relic_cpus> except) const {
    std::vector<int> cpus;
    for (const relic_cpus& held : books_.relics) {
      if (except && held.main_cpu == except->main_cpu &&
          held.assistant_cpu == except->assistant_cpu) {
        except.reset();
        continue;
      }
      cpus.insert(cpus.end(), {held.main_cpu, held.assistant_cpu});
    }
    return ascending(std::move(cpus));
  }

  shared::cpu_books& books_;
};

inline void cpu_claim::release() noexcept {
  if (registry_ != nullptr) {
    std::exchange(registry_, nullptr)->remove(held_);
  }
}

inline void pool_cpu_claim::keep_only(const std::vector<int>& tied) noexcept {
  if (registry_ == nullptr) {
    return;
  }
  const auto give_back_unless = [this](auto stays) {
    std::erase_if(held_, [&](pool_cpu each) {
      if (!stays(each)) {
        registry_->remove(each, generation_);
        return true;
      }
      return false;
    });
  };
  give_back_unless([&](pool_cpu each) { return !each.is_tied || holds(tied, each.cpu); });
  if (std::none_of(held_.begin(), held_.end(), [](pool_cpu each) { return each.is_tied; })) {
    give_back_unless([](pool_cpu) { return false; });
    registry_ = nullptr;
  }
}

inline bool pool_cpu_claim::try_swap(int tied, int callers) noexcept {
  if (registry_ == nullptr || !registry_->try_swap(tied, callers, generation_)) {
    return false;
  }
  for (pool_cpu& each : held_) {
    each.is_tied = each.cpu == callers || (each.is_tied && each.cpu != tied);
  }
  return true;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail

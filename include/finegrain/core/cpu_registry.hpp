// Which CPUs this process's relics use, so that no two assistants share one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "finegrain/core/host_view.hpp"
#include "finegrain/core/placement.hpp"

namespace fg {

class cpu_registry;

/// Two CPUs that are taken while this lives: the assistant's, and the main thread's. Empty if made
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
  struct pair {
    int main_cpu = -1;
    int assistant_cpu = -1;
    std::uint64_t generation = 0;
  };
  cpu_claim(cpu_registry& registry, pair held) noexcept : registry_{&registry}, held_{held} {}

  cpu_registry* registry_ = nullptr;
  pair held_;
};

/// A choice and the claim on it; the claim is empty when there is no CPU for an assistant.
struct claimed_placement {
  placement where;
  cpu_claim claim;
};

/// Books of the CPUs in use. A CPU on which an assistant or a main thread runs is not chosen for
/// another assistant; many relics may share a main thread's CPU. Outlives its claims. Any thread.
class cpu_registry {
 public:
  cpu_registry() noexcept = default;
  cpu_registry(const cpu_registry&) = delete;
  cpu_registry& operator=(const cpu_registry&) = delete;

  /// The one of this process. Never destroyed, so it serves static destructors too. Empty again in
  /// a forked child.
  static cpu_registry& of_process() {
    static auto* const registry = new cpu_registry;
    install_handler();
    return *registry;
  }

  /// `choose_placement` among the CPUs that are not taken, and claims the choice; both in one step.
  /// Throws std::bad_alloc; then nothing is claimed.
  [[nodiscard]] claimed_placement claim_placement(const host_view& host,
                                                  std::span<const int> allowed, int main_cpu) {
    const std::lock_guard lock{mutex_};
    claimed_placement claimed{
        .where = choose_placement(host, allowed, main_cpu, taken(std::nullopt)), .claim = {}};
    if (claimed.where.assistant_cpu) {
      claimed.claim = add(main_cpu, *claimed.where.assistant_cpu);
    }
    return claimed;
  }

  /// Chooses again for a main thread that has moved to `main_cpu`; what `claim` holds counts as
  /// free, and it stays where it is if nothing is better. Returns the new place, which `claim` then
  /// holds; where there is no CPU for an assistant `claim` keeps what it has. Requires: `claim` is
  /// not empty and of this registry. Throws std::bad_alloc; then `claim` keeps what it has.
  [[nodiscard]] placement choose_again(cpu_claim& claim, const host_view& host,
                                       std::span<const int> allowed, int main_cpu) {
    const std::lock_guard lock{mutex_};
    placement where =
        choose_placement(host, allowed, main_cpu, taken(claim.held_), claim.held_.assistant_cpu);
    if (where.assistant_cpu) {
      pair& entry = *entry_of(claim.held_);
      entry = {
          .main_cpu = main_cpu, .assistant_cpu = *where.assistant_cpu, .generation = generation_};
      claim.held_ = entry;
    }
    return where;
  }

  /// Claims CPUs that the user chose; always succeeds, however many claim them. Either may be -1,
  /// not known. Throws std::bad_alloc.
  [[nodiscard]] cpu_claim claim(int main_cpu, int assistant_cpu) {
    const std::lock_guard lock{mutex_};
    return add(main_cpu, assistant_cpu);
  }

  /// The CPUs in use, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<int> cpus_in_use() const {
    const std::lock_guard lock{mutex_};
    return taken(std::nullopt);
  }

  /// Starts with empty books in the child after fork(): the assistants stayed in the parent, and
  /// another thread may have been about to write here. Claims from before are void. Leaks what the
  /// books occupied. Requires: the child has one thread yet.
  void reset_after_fork_in_child() noexcept {
    const std::uint64_t generation = generation_;
    // No destructors: the mutex may be locked, the list half written.
    ::new (static_cast<void*>(this)) cpu_registry;
    generation_ = generation + 1;
  }

 private:
  friend class cpu_claim;
  using pair = cpu_claim::pair;

  // Hidden, as that of process_mark.
  [[gnu::visibility("hidden")]] static void install_handler() noexcept {
#if defined(__unix__) || defined(__APPLE__)
    // On lack of memory the child would find the parent's claims: relics there work inline.
    static const int installed =
        pthread_atfork(nullptr, nullptr, [] { of_process().reset_after_fork_in_child(); });
    static_cast<void>(installed);
#endif
  }

  [[nodiscard]] cpu_claim add(int main_cpu, int assistant_cpu) {
    pairs_.push_back(
        {.main_cpu = main_cpu, .assistant_cpu = assistant_cpu, .generation = generation_});
    return cpu_claim{*this, pairs_.back()};
  }

  void remove(const pair& held) noexcept {
    const std::lock_guard lock{mutex_};
    if (held.generation == generation_) {
      pairs_.erase(entry_of(held));
    }
  }

  [[nodiscard]] std::vector<pair>::iterator entry_of(const pair& held) noexcept {
    return std::ranges::find_if(pairs_, [&held](const pair& other) {
      return other.main_cpu == held.main_cpu && other.assistant_cpu == held.assistant_cpu;
    });
  }

  // All CPUs of all pairs, but for one pair like `except`.
  [[nodiscard]] std::vector<int> taken(std::optional<pair> except) const {
    std::vector<int> cpus;
    for (const pair& held : pairs_) {
      if (except && held.main_cpu == except->main_cpu &&
          held.assistant_cpu == except->assistant_cpu) {
        except.reset();
        continue;
      }
      cpus.insert(cpus.end(), {held.main_cpu, held.assistant_cpu});
    }
    std::ranges::sort(cpus);
    const auto repeated = std::ranges::unique(cpus);
    cpus.erase(repeated.begin(), repeated.end());
    std::erase(cpus, -1);
    return cpus;
  }

  mutable std::mutex mutex_;
  std::uint64_t generation_ = 0;  // forks that this process comes from
  std::vector<pair> pairs_;       // in use; a relic each
};

inline void cpu_claim::release() noexcept {
  if (registry_ != nullptr) {
    std::exchange(registry_, nullptr)->remove(held_);
  }
}

}  // namespace fg

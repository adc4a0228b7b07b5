// A pool whose workers have assistants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/hybrid/hybrid_cpus.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// One worker per core, each with a relic assistant on its core's other SMT thread. Coarse tasks
/// move between cores, by the pool's policy; fine ones stay inside one core, where handing over
/// costs least. Inside `run`, `fork_join` and `task_group` are coarse, `fork_join_fine` is fine.
///
/// A worker has an assistant only if its core has a second CPU that this process may use: any other
/// CPU would be taken from another worker. Without an assistant fine branches run inline; `cpus`
/// shows which workers have one. The calling thread of `run` counts as worker 0, with the CPU that
/// it was on when the pool was created.
class hybrid_pool {
 public:
  /// Like `pool`. `options.placement` is ignored: there is one worker per core. A worker that is
  /// not pinned has no assistant: a second pool of a process needs `pinning` `always`.
  explicit hybrid_pool(pool_options options = {}) : pool_{with_one_per_core(std::move(options))} {
    std::vector<int> cpus = pool_.cpus();
    cpus.front() = current_cpu();
    cpus_ = detail::add_assistants(*system_host_view().cpus, allowed_cpus(), cpus);
    assistants_cpus_ = detail::cpu_registry::of_process().claim_for_pool(
        [this](const detail::claimed_cpus&) { return cpus_of_assistants(cpus_); });
  }

  /// With CPUs given by the caller, one entry per worker, for tests and unusual machines.
  hybrid_pool(pool_options options, std::vector<detail::hybrid_cpus> cpus)
      : cpus_{std::move(cpus)}, pool_{with_one_per_core(std::move(options))} {
    cpus_.resize(pool_.size());
  }

  /// Like `~pool`; what it waits for may call `fork_join_fine` to the end.
  ~hybrid_pool() { in_destructor_.emplace(*this); }
  hybrid_pool(const hybrid_pool&) = delete;
  hybrid_pool& operator=(const hybrid_pool&) = delete;

  /// `pool::run`.
  template <class F>
  std::invoke_result_t<F&> run(F&& f) {
    return pool_.run([&]() -> std::invoke_result_t<F&> {
      const caller_assistant guard{*this};
      return f();
    });
  }

  /// Two short branches on the core of the calling worker: `fg::fork_join` on its own relic, which
  /// the first call on each worker starts. On a thread that is no worker of this pool or became one
  /// by `workers().run`, and if the core has no second CPU, both run here.
  template <class F, class G>
  auto fork_join_fine(F&& f, G&& g, offload mode = offload::adaptive) {
    relic* const own = assistant_here();
    return own == nullptr ? both_here(std::forward<F>(f), std::forward<G>(g))
                          : fork_join(*own, std::forward<F>(f), std::forward<G>(g), mode);
  }

  /// The same with a call site of the caller, as `fg::fork_join` requires for type-erased branches.
  template <class F, class G>
  auto fork_join_fine(call_site& site, F&& f, G&& g, offload mode = offload::adaptive) {
    relic* const own = assistant_here();
    return own == nullptr ? both_here(std::forward<F>(f), std::forward<G>(g))
                          : fork_join(*own, site, std::forward<F>(f), std::forward<G>(g), mode);
  }

  [[nodiscard]] pool& workers() noexcept { return pool_; }
  /// One entry per worker.
  [[nodiscard]] const std::vector<detail::hybrid_cpus>& cpus() const noexcept { return cpus_; }

 private:
  // The relic of the calling thread. A relic begins and ends on its main thread: that of a worker
  // thread with the thread, that of a caller with its `run` or with the destructor. Any other
  // thread that is worker 0 has none, since nothing would end it.
  struct local_assistant {
    const hybrid_pool* of = nullptr;
    std::unique_ptr<relic> assistant{};
  };
  static local_assistant& local() noexcept {
    thread_local local_assistant mine;
    return mine;
  }

  // Sets aside the caller's assistant of another hybrid pool, and ends the one it got in this pool.
  class caller_assistant {
   public:
    explicit caller_assistant(const hybrid_pool& self) : nested_{local().of == &self} {
      if (!nested_) {
        put_aside_ = std::exchange(local(), {.of = &self});
      }
    }
    ~caller_assistant() {
      if (!nested_) {
        local() = std::move(put_aside_);
      }
    }
    caller_assistant(const caller_assistant&) = delete;
    caller_assistant& operator=(const caller_assistant&) = delete;

   private:
    bool nested_;
    local_assistant put_aside_;
  };

  static pool_options with_one_per_core(pool_options options) {
    options.placement = worker_placement::one_per_core;
    return options;
  }

  template <class F, class G>
  static auto both_here(F&& f, G&& g) {
    return detail::without_monostates<F, G>(
        detail::run_both_here(std::forward<F>(f), std::forward<G>(g)));
  }

  relic* assistant_here() {
    const worker* const self = worker::current();
    if (self == nullptr || &self->home() != &pool_) {
      return nullptr;
    }
    local_assistant& mine = local();
    if (mine.of == this && mine.assistant != nullptr) [[likely]] {
      return mine.assistant.get();
    }
    if (self->id() >= cpus_.size() || (mine.of != this && !self->is_own_thread())) {
      return nullptr;
    }
    const std::optional<int> cpu = cpus_[self->id()].assistant_cpu;
    if (!cpu) {
      return nullptr;
    }
    mine = {.of = this, .assistant = std::make_unique<relic>(relic_options{.assistant_cpu = cpu})};
    return mine.assistant.get();
  }

  detail::pool_cpu_claim
      assistants_cpus_;  // claimed before the assistants begin, which claim them as relics do
  // Both outlive the pool, whose destructor runs what was posted.
  std::vector<detail::hybrid_cpus> cpus_;
  std::optional<caller_assistant> in_destructor_{};
  pool pool_;
};

}  // namespace fg::inline FINEGRAIN_ABI

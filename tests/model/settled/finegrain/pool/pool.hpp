// A pool whose workers have settled, and whose threads are the scenario's: stands in for the
// shipped pool/pool.hpp, whose start (see pool_life) would multiply the executions of a scenario by
// 800. It repeats `run`, `post`, `live`, the destructor and `stop_threads` without what concerns
// CPUs, forked processes and callers that take turns.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/chosen_wait.hpp"
#include "finegrain/pool/balance/private_deque_balance.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg {

/// Under the default policy. Worker 0 is the caller of `run`.
class pool {
 public:
  explicit pool(std::size_t workers)
      : shared_{workers, kStackBytes, chosen_wait::of<spin_then_sleep>(), 0} {
    std::vector<private_deque*> deques;
    for (std::size_t id = 0; id < workers; ++id) {
      workers_.push_back(std::make_unique<worker>(*this, shared_, id));
      deques.push_back(&workers_.back()->deque());
      shared_.workers.push_back(workers_.back().get());
    }
    policy_.emplace(std::move(deques), shared_.idle);
    shared_.policy = &*policy_;
    take_lock_once();
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }

  template <class F>
  std::invoke_result_t<F&> run(F&& f) {
    if (worker* const here = worker::presence::of(*this)) {
      const worker::presence present{*here, here->is_serial()};
      return f();
    }
    worker& first = *workers_.front();
    const worker::presence present{first, false};
    struct run_the_rest_at_exit {
      worker& self;
      ~run_the_rest_at_exit() { self.run_own_tasks(); }
    } const rest{first};
    return f();
  }

  template <class F>
  void post(F&& closure) {
    auto task = std::make_unique<posted_task<std::decay_t<F>>>(std::forward<F>(closure));
    shared_.unfinished_posts.fetch_add(1, memory_order_relaxed);
    shared_.posted.put(*task.release(), [this] {
      if (shared_.idle.any_after_publishing()) {
        shared_.idle.wake_one();
      }
    });
  }

  /// The life of each worker but the first, on a thread of the scenario.
  void live(std::size_t id) {
    worker& self = *workers_[id];
    const worker::presence present{self, false};
    self.serve_until_stopped();
  }

  /// What the destructor does ahead of the joining: the scenario ends the threads.
  void stop() {
    run([this] {
      worker::current()->help_until(
          [this] { return shared_.unfinished_posts.load(memory_order_relaxed) == 0; });
    });
    shared_.stop.store(true, memory_order_release);
    if (shared_.idle.any_after_publishing()) {
      shared_.idle.wake_all();
    }
  }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{1} << 16U;

  template <class F>
  struct posted_task : pool_task {
    explicit posted_task(F closure) : closure_(std::move(closure)) {
      routine.store(&run_and_delete, memory_order_relaxed);
    }
    static void run_and_delete(pool_task& task) noexcept {
      auto* const self = &static_cast<posted_task&>(task);
      static_cast<void>(self->closure_());
      delete self;
    }
    F closure_;
  };

  // As the checker wants it, ahead of the threads.
  void take_lock_once() {
    pool_task nothing{nullptr, nullptr};
    shared_.posted.put(nothing);
    shared_.posted.take();
  }

  pool_shared shared_;
  std::optional<private_deque_balance> policy_;
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace fg

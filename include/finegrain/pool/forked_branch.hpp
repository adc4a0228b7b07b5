// The branch of a fork_join that another worker may take.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::detail {

/// What a branch returns; std::monostate for nothing.
template <class F>
using result_of_t = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, std::monostate,
                                       std::remove_cvref_t<std::invoke_result_t<F&>>>;

template <class F>
result_of_t<F> result_of(F& branch) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    branch();
    return {};
  } else {
    return branch();
  }
}

/// On the stack of the worker that forks. Nothing but the routine is written before the push; what
/// came out is there only if somebody else ran it.
///
/// States of `routine`: `&run_elsewhere` until the end; then `&returned` or `&threw`, stored with
/// release by whoever ran it and read with acquire in `is_done`. After that store the runner does
/// not touch the branch any more: its frame may be gone.
template <class G>
class forked_branch : public pool_task {
 public:
  explicit forked_branch(G& branch) noexcept : branch_{std::addressof(branch)} {
    routine.store(&run_elsewhere, memory_order_relaxed);
  }
  forked_branch(const forked_branch&) = delete;
  forked_branch& operator=(const forked_branch&) = delete;
  ~forked_branch() {}

  [[nodiscard]] bool is_done() const noexcept {
    return routine.load(memory_order_acquire) != &run_elsewhere;
  }

  /// Once, after `is_done`: what the branch returned, or throws what it threw.
  result_of_t<G> take() {
    if (routine.load(memory_order_relaxed) == &threw) {
      const std::exception_ptr why = std::move(exception_);
      std::destroy_at(&exception_);
      std::rethrow_exception(why);
    }
    struct destroy_at_exit {
      result_of_t<G>* value;
      ~destroy_at_exit() { std::destroy_at(value); }
    } const guard{&value_};
    return std::move(value_);
  }

 private:
  static void run_elsewhere(pool_task& task) noexcept {
    auto& self = static_cast<forked_branch&>(task);
    routine_type outcome = &returned;
    try {
      ::new (static_cast<void*>(&self.value_)) result_of_t<G>(result_of(*self.branch_));
    } catch (...) {
      ::new (static_cast<void*>(&self.exception_)) std::exception_ptr(std::current_exception());
      outcome = &threw;
    }
    self.routine.store(outcome, memory_order_release);
    worker::current()->tell_waiting();
  }
  // Two addresses; they differ in what they do, so that no linker folds them into one.
  static void returned(pool_task& /*task*/) noexcept {}
  static void threw(pool_task& /*task*/) noexcept { std::terminate(); }

  G* branch_;
  union {
    result_of_t<G> value_;
    std::exception_ptr exception_;
  };
};

/// `f` here, `g` wherever it is taken first.
template <class F, class G>
std::pair<result_of_t<F>, result_of_t<G>> fork_join_on(worker& self, F& f, G& g) {
  forked_branch<G> forked{g};
  const auto at = self.next_position();
  auto where = worker::pushed::own_deque;
  if (!self.try_push(at, forked)) [[unlikely]] {
    where = self.push(forked);
  }
  // True: `g` is the caller's to run.
  const auto joined = [&]() noexcept {
    if (where == worker::pushed::own_deque) [[likely]] {
      return self.try_pop(at) || self.take_back(forked, [&] { return forked.is_done(); });
    }
    if (where == worker::pushed::policy) {
      self.help_until([&] { return forked.is_done(); });
      return false;
    }
    return true;
  };
  const auto f_first = [&] {
    try {
      return result_of(f);
    } catch (...) {
      // `g` runs in any case; its own exception is dropped: f's wins.
      try {
        joined() ? static_cast<void>(result_of(g)) : static_cast<void>(forked.take());
      } catch (...) {
      }
      throw;
    }
  };
  auto f_result = f_first();
  if (joined()) [[likely]] {
    return {std::move(f_result), result_of(g)};
  }
  return {std::move(f_result), forked.take()};
}

}  // namespace fg::detail

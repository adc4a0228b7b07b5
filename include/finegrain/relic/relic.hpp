// One assistant thread beside the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "finegrain/core/affinity.hpp"
#include "finegrain/core/assert.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/service_thread.hpp"
#include "finegrain/core/wait.hpp"
#include "finegrain/relic/handoff_ring.hpp"

namespace fg {

/// How to set up a `relic`.
struct relic_options {
  /// The CPU to tie the assistant to, best the SMT sibling of the caller's. Without it the
  /// assistant may use the CPUs that the constructing thread may use.
  std::optional<int> assistant_cpu;
};

/// Fine-grained task parallelism for two threads: the main thread, which made the relic and is the
/// only one that submits, and the assistant, the relic's own thread, which is the only one that
/// runs what was submitted.
///
///     fg::relic relic;
///     relic.submit([&] { left(); });   // on the assistant
///     right();                         // on this thread, meanwhile
///     relic.wait();
///
/// Tasks run in the order of submission, each exactly once. A task must not call its own relic.
/// What the main thread wrote before `submit` is visible to the task; what the task wrote is
/// visible to the main thread after `wait`.
///
/// **Inline mode.** When the system refuses a thread, or the caller may use one CPU only and names
/// none for the assistant, there is no assistant: `submit` runs the task at once on the main
/// thread, with the same contract, and `inline_reason` says why.
///
/// **Waiting.** Both threads busy-wait, as in the paper, and give way to other runnable threads now
/// and then (see core/wait.hpp). An assistant without work keeps its CPU busy until `sleep_hint`.
///
/// All members are for the main thread. Debug builds end the program on a call from another one.
///
/// Source: D. Los, I. Petushkov, "Exploring Fine-grained Task Parallelism on Simultaneous
/// Multithreading Cores", 2024, section VI.
class relic {
 public:
  /// Tasks that may be submitted and not finished before `submit` has to wait (section VI.A).
  static constexpr std::size_t kQueueCapacity = 128;

  /// Starts the assistant, awake. The calling thread becomes the main thread; its own affinity and
  /// signal mask stay as they are. Throws std::system_error when `options.assistant_cpu` can not be
  /// used. A refused thread is no error: see inline mode.
  explicit relic(relic_options options = {}) {
    if (!options.assistant_cpu && usable_cpus().size() == 1) {
      inline_reason_ = "the calling thread may use one CPU only, and no assistant_cpu was given";
    } else {
      start_assistant();
    }
    direct_ = !inline_mode();
    if (options.assistant_cpu && !inline_mode()) {
      pin_assistant(*options.assistant_cpu);
    }
  }

  /// Waits for all submitted tasks, wakes the assistant if it sleeps and joins it. An exception
  /// that no `wait` has passed on is dropped.
  ~relic() {
    FINEGRAIN_EXPECTS(on_main_thread(), "a relic is destroyed by the thread that made it");
    stop_assistant();
  }

  relic(const relic&) = delete;
  relic& operator=(const relic&) = delete;

  /// Submits `routine(arguments)`, the paper's form. `arguments` must stay valid until the task has
  /// run. Waits for space while 128 tasks are unfinished; wakes a sleeping assistant.
  void submit(void (*routine)(void*), void* arguments) {
    submit([routine, arguments] { routine(arguments); });
  }

  /// Submits a closure: a callable without arguments, whose result is dropped. It is moved or
  /// copied into the queue's slot, at most `kTaskClosureBytes` (48) with `kTaskClosureAlignment`
  /// (8), without allocation; a larger one does not compile. It is destroyed where it ran, right
  /// after. Waits for space while 128 tasks are unfinished; wakes a sleeping assistant. Constant
  /// time otherwise. Throws only what copying the closure throws; then nothing was submitted.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void submit(F&& closure) {
    FINEGRAIN_EXPECTS(on_main_thread(), "submit is for the thread that made the relic");
    for (spin_wait pause; !ring_.reserve(); pause()) {
    }
    hand_over(std::forward<F>(closure));
  }

  /// Like `submit`, but returns false at once, with `routine` and `arguments` untouched, while 128
  /// tasks are unfinished.
  [[nodiscard]] bool try_submit(void (*routine)(void*), void* arguments) {
    return try_submit([routine, arguments] { routine(arguments); });
  }

  /// Like `submit`, but returns false at once, with `closure` untouched, while 128 tasks are
  /// unfinished.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  [[nodiscard]] bool try_submit(F&& closure) {
    FINEGRAIN_EXPECTS(on_main_thread(), "try_submit is for the thread that made the relic");
    if (!ring_.reserve()) {
      return false;
    }
    hand_over(std::forward<F>(closure));
    return true;
  }

  /// Returns when all submitted tasks have finished. If tasks threw since the last `wait`, rethrows
  /// the exception of the first of them in submission order and drops the others; the relic is
  /// usable on. An assistant that sleeps has no unfinished task and goes on sleeping.
  void wait() {
    FINEGRAIN_EXPECTS(on_main_thread(), "wait is for the thread that made the relic");
    for (spin_wait pause; !ring_.drained(); pause()) {
    }
    ring_.rewind();
    if (first_exception_) [[unlikely]] {
      std::rethrow_exception(std::exchange(first_exception_, nullptr));
    }
  }

  /// Wakes the assistant some time before the next `submit`, which would have to do it otherwise.
  /// No effect on one that is awake. A system call if it sleeps; returns before it is awake.
  void wake_up_hint() {
    FINEGRAIN_EXPECTS(on_main_thread(), "wake_up_hint is for the thread that made the relic");
    if (may_sleep()) {
      wake();
    }
  }

  /// Lets the assistant sleep, once it has finished what was submitted so far, until the next
  /// `wake_up_hint`, `submit` or successful `try_submit`.
  void sleep_hint() {
    FINEGRAIN_EXPECTS(on_main_thread(), "sleep_hint is for the thread that made the relic");
    if (!inline_mode() && !may_sleep()) {
      direct_ = false;
      // Release: pairs with the acquire in sleep_until_woken, which then sees every earlier task.
      hints_.fetch_add(1, memory_order_release);
    }
  }

  /// True when there is no assistant and tasks run on the main thread.
  [[nodiscard]] bool inline_mode() const noexcept { return !assistant_.joinable(); }

  /// Why the relic is in inline mode, one line; empty when it is not.
  [[nodiscard]] const std::string& inline_reason() const noexcept { return inline_reason_; }

 private:
  // ---- main thread ----

  template <class F>
  void hand_over(F&& closure) {
    ring_.next_record().emplace(std::forward<F>(closure));
    ring_.publish();
    if (!direct_) [[unlikely]] {
      after_publish();
    }
  }

  // The assistant sleeps, or there is none.
  void after_publish() noexcept {
    if (inline_mode()) {
      run_all_published();
    } else {
      wake();
    }
  }

  [[nodiscard]] bool may_sleep() const noexcept {
    // Relaxed: only this thread writes it.
    return is_sleep(hints_.load(memory_order_relaxed));
  }

  void wake() noexcept {
    direct_ = true;
    // Release: pairs with the acquire of the wait in sleep_until_woken.
    hints_.fetch_add(1, memory_order_release);
    hints_.notify_one();
  }

  void start_assistant() {
    try {
      assistant_ = detail::start_service_thread("fg-relic", [this] { assist(); });
    } catch (const std::system_error& refused) {
      inline_reason_ = std::string{"the system refused a thread: "} + refused.what();
    }
  }

  void pin_assistant(int cpu) {
    if (const std::error_code error = pin_thread(assistant_, cpu)) {
      stop_assistant();
      throw std::system_error{error,
                              "relic: the assistant can not run on CPU " + std::to_string(cpu)};
    }
  }

  // The last task of all tells the assistant to leave. It runs behind all others, so joining waits
  // for them too.
  void stop_assistant() noexcept {
    if (!inline_mode()) {
      submit([this] { leave_ = true; });
      assistant_.join();
    }
  }

#if FINEGRAIN_DEBUG_CHECKS
  bool on_main_thread() const noexcept { return std::this_thread::get_id() == main_thread_; }
#endif

  // ---- assistant; in inline mode the main thread in its role ----

  void assist() noexcept {
    while (!leave_) {
      run(next_task());
    }
  }

  task_record& next_task() noexcept {
    for (spin_wait pause;; pause()) {
      if (task_record* const task = ring_.try_next()) [[likely]] {
        return *task;
      }
      // Relaxed: only whether to look closer; sleep_until_woken loads it again.
      if (is_sleep(hints_.load(memory_order_relaxed))) [[unlikely]] {
        sleep_until_woken();
      }
    }
  }

  // `hints_` counts: even, the assistant spins; odd, it may sleep. Only the main thread writes it,
  // in sleep_hint (to odd) and in wake (to even). The assistant never sleeps over a task:
  //  - A task published before the sleep_hint whose odd value is read here is seen by the second
  //    look at the ring.
  //  - A task published later is followed by wake, so `hints_` differs from the value read here,
  //    and the wait below returns, or does not begin: it compares under the lock of the futex.
  // A count, not a flag: between two looks of the assistant the main thread may submit, wake and
  // give the next hint, and a flag would then read as before, with the task still there.
  void sleep_until_woken() noexcept {
    // Acquire: pairs with the release in sleep_hint; try_next sees the tasks published before it.
    const std::uint32_t seen = hints_.load(memory_order_acquire);
    if (is_sleep(seen) && ring_.try_next() == nullptr) {
      hints_.wait(seen, memory_order_acquire);  // acquire: pairs with the release in wake
    }
  }

  static constexpr bool is_sleep(std::uint32_t hints) noexcept { return hints % 2 == 1; }

  void run(task_record& task) noexcept {
    try {
      task.run();
    } catch (...) {
      if (!first_exception_) {
        first_exception_ = std::current_exception();
      }
    }
    ring_.complete();
  }

  void run_all_published() noexcept {
    while (task_record* const task = ring_.try_next()) {
      run(*task);
    }
  }

  handoff_ring<kQueueCapacity> ring_;

  // Written by the assistant before a `complete` and by the main thread after a `drained` that saw
  // it; that pair orders all accesses. Not on a busy line: `wait` reads it every time.
  alignas(kCacheLineBytes) std::exception_ptr first_exception_;
  bool leave_ = false;  // assistant only, after the constructor

  // Written in hints and wake-ups only, so both threads keep it in their caches.
  alignas(kCacheLineBytes) atomic<std::uint32_t> hints_{0};

  // Main thread only.
  bool direct_ = false;  // publishing is all that hand_over has to do: an assistant is there, awake
  std::string inline_reason_;
  std::thread::id main_thread_ = std::this_thread::get_id();
  std::thread assistant_;
};

}  // namespace fg

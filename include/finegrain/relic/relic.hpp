// One assistant thread for the thread that makes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/controller/round_trip_meter.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/relic/assistant.hpp"
#include "finegrain/relic/assistant_placement.hpp"
#include "finegrain/relic/forked.hpp"
#include "finegrain/relic/handoff_ring.hpp"
#include "finegrain/relic/relic_options.hpp"
#include "finegrain/relic/wake_up_value.hpp"
#include "finegrain/thread/fork.hpp"
#include "finegrain/thread/service_thread.hpp"
#include "finegrain/thread/this_thread.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {
struct relic_access;
}  // namespace detail

/// Fine-grained task parallelism for two threads: the main thread, which made the relic and is the
/// only one that submits tasks, and the assistant, the relic's own thread, which runs them unless it
/// sleeps.
///
///     fg::relic relic;
///     auto left = relic.fork([&] { return sum_of(first_half); });  // on the assistant
///     const long right = sum_of(second_half);                      // meanwhile, on this thread
///     use(left.get() + right);
///
/// Tasks run in the order of submission, each exactly once. A task must not call its own relic
/// (`fg::fork_join` may be called anywhere). What the main thread wrote before `submit` is visible
/// to the task; what the task wrote is visible to the main thread after `wait`.
///
/// **Placement.** The assistant is pinned to the SMT sibling of the main thread's CPU, or to the
/// nearest CPU that no other relic of this process uses; `placement` says which and why. When the
/// main thread is found on another CPU, the assistant follows. The main thread is never pinned.
///
/// **Waiting** is a policy of wait/wait.hpp, `Wait`. With the default the assistant busy-waits, as
/// in the paper, and sleeps when it has been idle for `spin_budget`; `wake_up_hint` and
/// `sleep_hint` refine this. The main thread busy-waits in `wait`. Both yield to other runnable
/// threads now and then. A submitted task wakes a sleeping assistant; what this has not begun by
/// the time when the main thread waits, the main thread runs itself (`relic_options::main_helps`).
///
/// **Inline mode.** With one usable CPU, a CPU quota below two, no CPU left for the assistant or a
/// refused thread there is no assistant: `submit` runs the task at once on the main thread, under
/// the same contract, and `inline_reason` says why.
///
/// **POSIX fork().** When the main thread calls it, it waits until the submitted tasks have
/// finished, but no longer than `kForkPatience`: a task may need a lock that another library holds
/// meanwhile. The relic keeps working in the parent, and works in inline mode in the child.
/// Unfinished tasks finish in the parent only: the child's next `wait` throws std::runtime_error.
/// Other threads' relics can only be destroyed in the child.
///
/// All members are for the main thread. Debug builds (without NDEBUG) end the program on a call from
/// another one. Copies, moves, assignments and destructors of closures and results run within the
/// relic's functions; they must not call the relic, nor an algorithm on it.
///
/// Source: D. Los, I. Petushkov, "Exploring Fine-grained Task Parallelism on Simultaneous
/// Multithreading Cores", 2024, section VI.
template <wait_policy Wait = spin_then_sleep>
class basic_relic final : private detail::fork_participant {
 public:
  /// How many submitted tasks may be unfinished before `submit` has to wait (section VI.A).
  static constexpr std::size_t kQueueCapacity = detail::assistant<Wait>::kQueueCapacity;

  /// How long POSIX fork() waits for submitted tasks. A full queue of the longest tasks meant for a
  /// relic takes 1.3 ms; an assistant may lack its CPU for two periods of a quota (100 ms).
  static constexpr std::chrono::milliseconds kForkPatience{250};

  /// Starts the assistant, awake. The calling thread becomes the main thread; its own affinity and
  /// signal mask do not change. Throws std::system_error if `options.assistant_cpu` cannot be used,
  /// std::runtime_error if the processor lacks the instructions of `Wait`. A refused thread is not
  /// an error: see inline mode.
  explicit basic_relic(const relic_options& options = {})
      : assistant_{options}, helps_{options.main_helps}, placement_{options.assistant_cpu} {
    if (!Wait::supported()) {
      detail::raise(
          std::runtime_error{std::string{"relic: this processor does not have "} + Wait::kName});
    }
    inline_reason_ = placement_.inline_reason();
    if (inline_reason_.empty()) {
      start_assistant(options);
    }
    if (inline_mode()) {
      assistant_.gate().stay_alert();
    } else {
      schedule_assistant(options.scheduling);
    }
  }

  /// Waits for all submitted tasks, wakes the assistant if it sleeps and joins it. An exception
  /// that no `wait` has rethrown is dropped. Within a task, if that has called exit(), it waits for
  /// nothing.
  FINEGRAIN_CHECKED_FUNCTION ~basic_relic() {
    if (!of_this_process() || called_by_task()) {
      abandon_thread();  // a forked child has none, and a task does not wait for itself
      return;
    }
    FINEGRAIN_EXPECTS(called_by_main(), "a relic is destroyed by the thread that made it");
    stop_assistant();
    assistant_.ring().rewind();  // all tasks have finished: delivers the results not yet taken
  }

  basic_relic(const basic_relic&) = delete;
  basic_relic& operator=(const basic_relic&) = delete;

  /// Submits `routine(arguments)`, the paper's form. `arguments` must stay valid until the task has
  /// run. Waits for space while 128 tasks are unfinished; wakes a sleeping assistant.
  FINEGRAIN_CHECKED_FUNCTION void submit(void (*routine)(void*), void* arguments) {
    submit([routine, arguments] { routine(arguments); });
  }

  /// Submits a closure: a callable without arguments, whose result is dropped. It is moved or
  /// copied into the queue's slot, without allocation, and from there moved to the stack to run if
  /// that cannot throw. More than `kTaskClosureBytes` (48) or an alignment above
  /// `kTaskClosureAlignment` (8) does not compile. It is destroyed on the thread that ran it, right
  /// after. Waits for space while 128 tasks are unfinished; wakes a sleeping assistant. Otherwise
  /// constant time. Throws only what copying the closure throws; then nothing was submitted.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  FINEGRAIN_CHECKED_FUNCTION void submit(F&& closure) {
    wait_for_space();
    hand_over(std::forward<F>(closure));
  }

  /// Like `submit`, but returns false at once, with `routine` and `arguments` untouched, while 128
  /// tasks are unfinished.
  FINEGRAIN_CHECKED_FUNCTION [[nodiscard]] bool try_submit(void (*routine)(void*),
                                                           void* arguments) {
    return try_submit([routine, arguments] { routine(arguments); });
  }

  /// Like `submit`, but returns false, with `closure` untouched, while 128 tasks are unfinished.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  FINEGRAIN_CHECKED_FUNCTION [[nodiscard]] bool try_submit(F&& closure) {
    FINEGRAIN_EXPECTS(may_submit(), "try_submit is for the thread that made the relic");
    if (!assistant_.ring().reserve()) {
      return false;
    }
    hand_over(std::forward<F>(closure));
    return true;
  }

  /// Waits until all submitted tasks have finished. If tasks threw since the last `wait`, rethrows
  /// the exception of the first of them in submission order and drops the others; the relic remains
  /// usable. Exceptions of forked tasks come from their `get` instead. An assistant that sleeps without an unfinished task keeps sleeping.
  /// Not within a task, which would wait for itself, even in inline mode.
  FINEGRAIN_CHECKED_FUNCTION void wait() {
    FINEGRAIN_EXPECTS(may_submit(), "wait is for the thread that made the relic");
    drain();
    if (assistant_.has_exception()) [[unlikely]] {
      std::rethrow_exception(assistant_.take_exception());
    }
  }

  /// Submits a closure whose result is wanted, and which can be waited for by itself:
  ///
  ///     auto left = relic.fork([a, b] { return a * b; });
  ///     const long right = c * d;           // meanwhile
  ///     use(left.get() + right);
  ///
  /// `get` returns the result or throws what the closure threw; `wait` does not throw that. A result
  /// of up to 48 bytes and an alignment of up to 8 comes back in the task's own cache line: see
  /// relic/forked.hpp. The returned object waits for the task when it is destroyed. Otherwise like
  /// `submit`.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  auto fork(F&& closure) {
    return forked<detail::call_result_t<std::decay_t<F>>, Wait>{*this, std::forward<F>(closure)};
  }

  /// Submits a closure whose result is assigned to `destination`, at any time between this call and
  /// the end of the relic's next `wait`: until then it must exist, and nobody else may use it, no
  /// task either. The `get` of a later task is not enough. Of several tasks that return one type for
  /// one destination, the last one wins.
  ///
  /// A result of up to 48 bytes and an alignment of up to 8 comes back in the task's own cache line,
  /// and the main thread assigns it, if that cannot throw: so the assistant does not have to fetch
  /// the destination's line, which takes as long as an empty task, or longer. Any other is assigned
  /// by the assistant. If the closure throws, nothing is assigned, and `wait` throws it. Otherwise
  /// like `submit`.
  template <class T, class F>
    requires std::is_invocable_v<std::decay_t<F>&> &&
             std::is_assignable_v<T&, detail::call_result_t<std::decay_t<F>>>
  void submit_into(T& destination, F&& closure) {
    using result = detail::call_result_t<std::decay_t<F>>;
    if constexpr (detail::kFitsInRecord<result> && std::is_nothrow_assignable_v<T&, result> &&
                  std::is_nothrow_move_constructible_v<result>) {
      auto* const place = const_cast<std::remove_cv_t<T>*>(std::addressof(destination));
      hand_over_keeping<false>(std::forward<F>(closure), {&assign_result<T, result>, place});
    } else {
      static_assert(sizeof(std::decay_t<F>) + sizeof(void*) <= kTaskClosureBytes,
                    "finegrain: a closure whose result has more than 48 bytes, or a stricter "
                    "alignment than 8, has at most 40 bytes; capture a pointer or a reference");
      submit(
          [&destination, callee = std::forward<F>(closure)]() mutable { destination = callee(); });
    }
  }

  /// Wakes the assistant ahead of the next `submit`, which would otherwise have to do it, and keeps
  /// it awake until `sleep_hint`, or until it has had no work for `hinted_budget`. A system call if
  /// it sleeps; returns before it is awake.
  FINEGRAIN_CHECKED_FUNCTION void wake_up_hint() {
    FINEGRAIN_EXPECTS(called_by_main(), "wake_up_hint is for the thread that made the relic");
    if (!inline_mode()) {
      follow_main_thread();
      assistant_.orders().stay_awake();
      wake();
    }
  }

  /// Lets the assistant sleep as soon as it has finished what was submitted so far, until the next
  /// `wake_up_hint`, `submit` or successful `try_submit`.
  FINEGRAIN_CHECKED_FUNCTION void sleep_hint() {
    FINEGRAIN_EXPECTS(called_by_main(), "sleep_hint is for the thread that made the relic");
    assistant_.orders().allow_sleep(assistant_.ring().published());
  }

  /// True if there is no assistant and tasks run on the main thread.
  [[nodiscard]] bool inline_mode() const noexcept { return !thread_.joinable(); }

  /// Why the relic is in inline mode, in one line; empty if it is not.
  [[nodiscard]] const std::string& inline_reason() const noexcept { return inline_reason_; }

  /// Why the assistant does not have the scheduling class of the options, in one line; empty if it
  /// has.
  [[nodiscard]] const std::string& scheduling_refusal() const noexcept {
    return scheduling_refusal_;
  }

  /// Where the two threads are meant to run, and why.
  [[nodiscard]] const fg::placement& placement() const noexcept { return placement_.where(); }

  /// The counters so far. Two system calls. `tasks` includes unfinished ones.
  [[nodiscard]] relic_counters counters() const {
    const auto spun_ns = static_cast<std::uint64_t>(to_ns(1) * assistant_.spun_ticks());
    const std::uint64_t cpu_ns = inline_mode() ? 0 : detail::thread_cpu_ns(thread_);
    return {.tasks = assistant_.ring().published() - submitted_inline_,
            .tasks_inlined = inlined_ + submitted_inline_,
            .worked_ns = cpu_ns - std::min(cpu_ns, spun_ns),
            .spun_ns = spun_ns,
            .sleeps = assistant_.sleeps(),
            .wake_ups = wake_ups_,
            .early_wake_ups = assistant_.rest().early_wake_ups(),
            .period_ns = static_cast<std::uint64_t>(to_ns(period_ticks()))};
  }

  /// True on the main thread, also in a task that it runs. Any thread.
  [[nodiscard]] bool called_by_main() const noexcept {
    return detail::this_thread_token() == main_;
  }

  /// True in a task of this relic, whichever thread runs it. Any thread.
  [[nodiscard]] bool called_by_task() const noexcept {
    return called_by_main() ? running_task_ : called_by_assistant();
  }

  /// True if the assistant sleeps, or is about to. Any thread.
  [[nodiscard]] bool is_asleep() const noexcept { return assistant_.gate().is_asleep(); }

 private:
  // ---- for the algorithms: detail::relic_access (relic_like.hpp) ----

  friend struct detail::relic_access;

  // True if the calling thread may hand work over: the main thread, outside of tasks, and there is
  // an assistant. Any thread.
  [[nodiscard]] bool can_share() const noexcept { return may_submit() && !inline_mode(); }

  // While it exists the main thread, where it waits, runs no tasks.
  class without_help {
   public:
    explicit without_help(basic_relic& relic) noexcept
        : relic_{relic}, before_{std::exchange(relic.helps_, false)} {}
    ~without_help() { relic_.helps_ = before_; }
    without_help(const without_help&) = delete;
    without_help& operator=(const without_help&) = delete;

   private:
    basic_relic& relic_;
    bool before_;
  };

  // True if a task submitted now would start at once on another thread: there is an assistant,
  // awake and idle. Requires: the main thread.
  [[nodiscard]] bool is_ready() const noexcept {
    return !is_asleep() && assistant_.ring().drained();
  }

  // Wakes the assistant if it sleeps; it sleeps again by its policy. Requires: the main thread.
  void wake_if_asleep() noexcept {
    if (is_asleep()) {
      has_work_for_sleeper(ticks(), 0);
      wake();
    }
  }

  // The assistant sleeps, and the main thread keeps work that is not worth a wake-up: so that the
  // assistant may learn when to be awake.
  void miss_sleeper() noexcept {
    if (has_work_for_sleeper(ticks(), 0) && wake_up_value_.lets_learn()) {
      wake();
    }
  }

  void wake() noexcept {
    if (assistant_.gate().wake_sleeper()) {
      ++wake_ups_;
    }
  }

  // The latest long wait; whoever wants to see his own forgets earlier ones. For the main thread.
  [[nodiscard]] detail::long_wait& long_wait() noexcept { return long_wait_; }
  // What the submits come in; 0: no period.
  [[nodiscard]] std::uint64_t period_ticks() const noexcept { return assistant_.rest().period(); }

  // Counts `count` branches or loops that an algorithm kept on the calling thread.
  void count_inlined(std::uint64_t count) noexcept { inlined_ += count; }

  // The round trip of an empty task on this relic, in ticks (core/clock.hpp); 0 if it is not known,
  // as in inline mode. Measured again when it is old, unless the assistant is busy: see
  // controller/round_trip_meter.hpp. Requires: the main thread.
  [[nodiscard]] std::uint64_t round_trip_ticks() {
    const bool asleep = is_asleep();
    if (!inline_mode() && round_trip_.is_due(ticks(), asleep) && (asleep || is_ready())) {
      const without_help only_looks{*this};  // else it might measure itself
      round_trip_.measure([this] {
        long_wait_.ticks = 0;
        submit([] {});
        drain();
        return long_wait_.ticks == 0;
      });
    }
    return round_trip_.ticks();
  }

  // ---- for `forked` ----

  template <class T, wait_policy W>
  friend class forked;
  using task_place = typename detail::handoff_ring<kQueueCapacity>::place;

  // Submits a task that keeps its result, and its exception too or leaves that to `wait`.
  template <bool KeepsException, class F>
  FINEGRAIN_CHECKED_FUNCTION task_place hand_over_keeping(F&& closure,
                                                          const detail::result_taker& taker) {
    wait_for_space();
    auto& ring = assistant_.ring();
    ring.next_record().template emplace_keeping<KeepsException>(std::forward<F>(closure));
    ring.publish(taker);
    const task_place place = ring.last();
    wake_or_run();
    return place;
  }

  // False within a task, as at exit(), and in a child that another thread has forked.
  [[nodiscard]] bool may_wait() const noexcept { return of_this_process() && !called_by_task(); }

  void redirect(const task_place& at, void* destination) noexcept {
    assistant_.ring().redirect(at, destination);
  }

  [[nodiscard]] bool has_finished(const task_place& at) const noexcept {
    return assistant_.ring().finished(at);
  }

  FINEGRAIN_CHECKED_FUNCTION void wait_for(const task_place& at) {
    FINEGRAIN_EXPECTS(may_submit(), "get is for the thread that made the relic");
    auto& ring = assistant_.ring();
    await(ring.line_of(at), [&] { return ring.finished(at); });
  }

  // The record of the task at `at`, which has finished. Its result has to be taken before the next
  // task is submitted.
  FINEGRAIN_CHECKED_FUNCTION detail::task_record& take_over(const task_place& at) {
    wait_for(at);
    auto& ring = assistant_.ring();
    detail::task_record& record = ring.take_over(at);
    if (ring.is_last(at)) [[likely]] {
      ring.rewind();
    }
    return record;
  }

  // ---- implementation of the members ----

  FINEGRAIN_CHECKED_FUNCTION void wait_for_space() {
    FINEGRAIN_EXPECTS(may_submit(), "submit is for the thread that made the relic");
    await(assistant_.ring().completion_line(), [this] { return assistant_.ring().reserve(); });
  }

  template <class F>
  void hand_over(F&& closure) {
    auto& ring = assistant_.ring();
    ring.next_record().emplace(std::forward<F>(closure));
    ring.publish();
    wake_or_run();
  }

  void wake_or_run() noexcept {
    if (assistant_.gate().needs_attention()) [[unlikely]] {
      after_publish();
    }
  }

  template <class T, class Result>
  static void assign_result(detail::task_record& record, void* destination) noexcept {
    if (record.has_failed()) {
      record.template drop<Result>();
    } else {
      *static_cast<T*>(destination) = record.template take<Result>();
    }
  }

  // The assistant sleeps, or there is none, or there is no membarrier.
  void after_publish() noexcept {
    if (inline_mode()) {
      run_tasks_here([] { return false; });
    } else {
      wake_or_leave_asleep();
    }
  }

  // Out of line, off the short path.
  FINEGRAIN_NOINLINE void wake_or_leave_asleep() noexcept {
    const auto sleeper = assistant_.gate().look_at_sleeper();
    if (sleeper == detail::sleep_gate::sleeper::awake) {
      return;
    }
    const std::uint64_t now = ticks();
    has_work_for_sleeper(now, 1);
    if (helps_ && sleeper == detail::sleep_gate::sleeper::dozing &&
        assistant_.rest().looks_soon(now, wake_up_value_.is_vain())) {
      wake_up_value_.leave_asleep();
    } else {
      wake();
    }
  }

  // `published`: how many tasks of this work are. True if it is the first of a burst.
  bool has_work_for_sleeper(std::uint64_t now, std::uint64_t published) noexcept {
    const bool is_first =
        wake_up_value_.asked(now, assistant_.ring().published() - published - submitted_inline_);
    if (is_first) {
      assistant_.rest().came_during_sleep(now);
      assistant_.rest().leave_asleep(wake_up_value_.is_vain());
    }
    return is_first;
  }

  template <class Done>
  std::uint64_t run_tasks_here(Done done) noexcept {
    running_task_ = true;
    const std::uint64_t ran =
        assistant_.run_published_until([&] { return forked_in_task_ || done(); });
    submitted_inline_ += ran;
    running_task_ = false;
    if (std::exchange(forked_in_task_, false)) [[unlikely]] {
      give_up_tasks();
    }
    return ran;
  }

  // Until `done()`, runs what an assistant that sleeps, or is waking, has not begun.
  template <class Done>
  void help_until(Done done) noexcept {
    if (helps_ && assistant_.begin_help()) [[unlikely]] {
      const bool ran = run_tasks_here(done) != 0;
      assistant_.end_help();
      if (ran) {
        wake_up_value_.helped(ticks());
      }
    }
  }

  // Tasks were left with a dozing assistant.
  template <class Done>
  void serve_sleeper(Done done) noexcept {
    if (helps_) {
      help_until(done);
    } else {
      wake();
    }
    if (!helps_ || assistant_.ring().drained()) {
      wake_up_value_.take_left_asleep();
    }
  }

  void drain() {
    auto& ring = assistant_.ring();
    await(ring.completion_line(), [&] { return ring.drained(); });
    ring.rewind();
  }

  // `line`: the line on which the change that makes `done` true is expected. Its first looks come
  // before it helps: on SMT siblings anything else between them costs a tenth of a round trip.
  template <class Done>
  void await(const void* line, Done done) {
    if (!done()) {
      look_until(line, done);
    }
  }

  // Out of line, off the path of what has finished.
  template <class Done>
  FINEGRAIN_NOINLINE void look_until(const void* line, Done done) {
    if (wake_up_value_.left_asleep()) [[unlikely]] {
      serve_sleeper(done);
    }
    std::uint64_t lost = 0;
    for (spin_wait<Wait> wait; !done();) {
      if (wait(line, done)) [[unlikely]] {  // it has read the clock
        help_until(done);
        if (wait.just_yielded()) {
          lost += wait.yield_ticks();
          long_wait_ = {wait.waited_ticks(), lost};
          follow_main_thread();
        }
      }
    }
  }

  // Two threads on one CPU would take turns. So whenever the main thread has waited longer than
  // tasks last, it checks where it is.
  void follow_main_thread() noexcept {
    if (placement_.follow(thread_)) {
      round_trip_.forget();
    }
  }

  void start_assistant(const relic_options& options) {
    const std::string refusal = detail::try_start_service_thread(
        thread_, {detail::kept_name(options.thread_name, "").c_str(), allowed(options.scheduling)},
        +[](detail::assistant<Wait>* side) { side->run(); }, &assistant_);
    if (!refusal.empty()) {
      inline_reason_ = "the system refused a thread: " + refusal;
      placement_.give_up();
      return;
    }
    if (const std::error_code error = placement_.settle(thread_)) {
      const std::string cpu = std::to_string(placement_.where().assistant_cpu.value_or(-1));
      stop_assistant();
      detail::raise(std::system_error{error, "relic: the assistant cannot run on CPU " + cpu});
    }
  }

  [[nodiscard]] scheduling allowed(const scheduling& wanted) const noexcept {
    const fg::placement& at = placement_.where();
    return wanted.is_real_time() && at.assistant_cpu == at.main_cpu ? scheduling{} : wanted;
  }

  // Called last, when the assistant is where it should be.
  void schedule_assistant(const scheduling& wanted) {
    FINEGRAIN_TRY {
      scheduling_refusal_ = allowed(wanted).kind == wanted.kind
                                ? detail::try_schedule(thread_, wanted)
                                : "a real-time assistant would keep the main thread from their CPU";
    }
    FINEGRAIN_CATCH(...) {  // no memory for the message
      stop_assistant();
      FINEGRAIN_RETHROW;
    }
  }

  // The last of all tasks tells the assistant to leave. It runs after all others, so joining waits
  // for them too.
  void stop_assistant() noexcept {
    if (!inline_mode()) {
      submit([this] { assistant_.leave(); });
      wake();  // submit may have left that to it
      detail::join_service_thread(thread_);
    }
  }

  [[nodiscard]] bool may_submit() const noexcept { return called_by_main() && !running_task_; }

  [[nodiscard]] bool called_by_assistant() const noexcept {
    return thread_.get_id() == std::this_thread::get_id();
  }

  // ---- POSIX fork() by the main thread ----

  // Other libraries' handlers may have taken their locks already, to free them after the fork, and
  // a task may need one.
  void before_fork() noexcept override {
    if (can_share()) {
      auto& ring = assistant_.ring();
      const std::uint64_t begin = ticks();
      const without_help only_looks{*this};  // a task may want a lock that this thread holds
      await(ring.completion_line(),
            [&ring, begin] { return ring.drained() || ticks() - begin > to_ticks(kForkPatience); });
    }
  }

  void after_fork_in_child() noexcept override {
    if (!inline_mode()) {
      abandon_thread();
      if (running_task_) {
        forked_in_task_ = true;  // when that task has returned
      } else {
        give_up_tasks();
      }
      assistant_.gate().forget_sleeper();
      assistant_.gate().stay_alert();
      inline_reason_ = "the process was forked, and the assistant stayed in the parent";
    }
  }

  void give_up_tasks() noexcept {
    const std::exception_ptr reason = std::make_exception_ptr(std::runtime_error{
        "relic: the process was forked before all tasks had finished; they do in the parent"});
    if (!assistant_.ring().drained()) {
      assistant_.replace_exception(reason);
    }
    assistant_.ring().adopt_assistant(reason);
  }

  // Drops the handle of a thread that cannot be joined: its destructor must not run.
  void abandon_thread() noexcept {
    ::new (static_cast<void*>(&thread_)) detail::service_thread;
    placement_.abandon();
  }

  detail::assistant<Wait> assistant_;

  // Main thread only.
  const void* main_ = detail::this_thread_token();
  std::uint64_t inlined_ = 0;
  std::uint64_t submitted_inline_ = 0;
  std::uint64_t wake_ups_ = 0;
  detail::long_wait long_wait_;
  detail::round_trip_meter round_trip_;
  bool running_task_ = false;
  bool forked_in_task_ = false;
  bool helps_;
  detail::wake_up_value wake_up_value_;
  std::string inline_reason_;
  std::string scheduling_refusal_;
  detail::assistant_placement placement_;
  detail::service_thread thread_;
};

/// The relic with the default wait policy.
using relic = basic_relic<>;

}  // namespace fg::inline FINEGRAIN_ABI

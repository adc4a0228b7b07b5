// All executions of a scenario.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "checker/event.hpp"
#include "checker/execution_graph.hpp"
#include "checker/memory.hpp"
#include "virtual/fiber.hpp"
#include "virtual/host.hpp"

namespace model {

/// The result of an exploration.
struct outcome {
  std::uint64_t executions = 0;  ///< complete ones
  std::uint64_t dropped = 0;     ///< a loop reads only old values: equivalent to a shorter one
  std::uint64_t cut = 0;         ///< a loop that writes took more turns than the bound
  std::uint64_t most_events = 0;
  bool is_complete = true;  ///< false: the limit of executions was reached
  std::string violation;    ///< empty, or what was wrong, and the execution
};

/// Runs a program of several threads in each execution that RC11 allows, once each.
///
/// It is stateless: an execution is a function of its graph (execution_graph.hpp), and is run from
/// the beginning each time. A graph grows by one event at a time; if there are several ways to
/// continue (a read of one of several writes, a position for a write among the others) the
/// alternative graphs are kept for later. A late write may also be read by earlier reads: then
/// these are redone, without the events that followed. The algorithm TruSt determines which of
/// these backward steps are taken, so that each execution is produced exactly once:
/// Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order
/// reduction" (POPL 2022), with its condition of maximal extensions.
///
/// ## Memory model
/// RC11 (see sc_order.hpp) with C++20's release sequences: a read may read each write that
/// coherence allows, and a write may be placed anywhere that coherence allows. Program order and
/// reads-from together have no cycle, which forbids load buffering. Fences are modelled, including
/// the asymmetric ones of P1202.
///
/// ## Loops that wait
/// A loop calls `look_again` after an unsuccessful check. If it only read, or chose (the
/// alternatives are explored elsewhere), since the last turn, another turn with the same values is
/// equivalent to none: the thread blocks, and continues only in the executions where these reads
/// return something else. So if a thread is blocked in the end and has read the newest values, it
/// waits forever: a deadlock, or a lost wake-up. A loop that also writes runs at most `turns`
/// times.
///
/// One at a time per process; not thread-safe.
class explorer : public virtual_threads::host {
 public:
  struct limits {
    std::uint32_t turns = 2;       ///< of a loop that writes, after the first one
    std::uint64_t executions = 0;  ///< 0: all
  };

  using update_function = std::function<bool(word old, word& next)>;

  explorer() = default;
  explorer(const explorer&) = delete;
  explorer& operator=(const explorer&) = delete;
  ~explorer() override;

  /// Runs `scenario` on the main thread of the model.
  outcome explore(const std::function<void()>& scenario, limits bound);

  /// The running explorer; null outside of an exploration.
  static explorer* current() noexcept { return static_cast<explorer*>(host::current()); }

  // ---- for the threads of a scenario ----

  [[nodiscard]] std::size_t thread() const noexcept override { return running_; }

  void construct(const void* object, std::size_t bytes, word value, std::source_location where);
  word load(const void* object, std::size_t bytes, order ordering, std::source_location where);
  void store(const void* object, std::size_t bytes, word value, order ordering,
             std::source_location where);
  /// `update(old, next)`: false if nothing is written; then it was a load of order `failure`.
  /// Returns the old value.
  word read_modify_write(const void* object, std::size_t bytes, order success, order failure,
                         const update_function& update, std::source_location where);
  void fence(order ordering, std::source_location where);

  /// The system's sleep on a word: std::atomic::wait and notify. Of several sleepers one
  /// notification finds the thread with the lowest number.
  void wait(const void* object, std::size_t bytes, word old, order ordering,
            std::source_location where);
  void notify_one(const void* object, std::source_location where);
  void notify_all(const void* object, std::source_location where);

  /// The main thread has to lock each one once before it starts the others.
  void lock(const void* mutex) override;
  bool try_lock(const void* mutex) override;
  void unlock(const void* mutex) override;

  void begin_loop() noexcept;
  void look_again();
  void yield() override { look_again(); }
  /// A number from 0 to count - 1: all are tried.
  word choose(word count);

  /// Runs them concurrently and waits for all.
  void run_threads(std::vector<std::function<void()>> bodies);
  /// Starts and ends a thread in addition to the main one, which calls these. Returns its number.
  std::size_t start(std::function<void()> body) override;
  void join(std::size_t number) override;

  /// Runs `what()` as code outside of the scenario, for instance to keep a result.
  template <class What>
  void outside(What what) {
    inside_ = false;
    what();
    inside_ = true;
  }

  [[noreturn]] void fail(const std::string& what);

  // ---- for the compiler's instrumentation and the allocator ----

  void note_read(const void* address, std::size_t bytes) override;
  void note_write(const void* address, std::size_t bytes) override;
  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void free(void* block) override;
  void* thread_local_of(const void* variable, std::size_t bytes, std::size_t alignment,
                        const void* initial) override;
  [[nodiscard]] bool owns(const void* block) const noexcept override {
    return memory_.contains(block);
  }

  /// Each source location whose operation has been an event, with its orders.
  [[nodiscard]] const std::set<std::string>& places() const noexcept { return places_; }

 private:
  enum class status : std::uint8_t { absent, runnable, joining, blocked, cut, ended };

  struct thread_state {
    virtual_threads::fiber context;
    std::function<void()> body;
    status now = status::absent;
    std::uint16_t done = 0;  // events
    clock known;             // what happens before the next event
    clock prefix;
    clock acquirable;  // by a fence
    clock released;    // by a fence
    std::uint16_t turn_begin = 0;
    std::uint32_t turns = 0;
    std::map<const void*, void*> locals;  // thread_local variables and their copies
  };

  using checker_code = own_code;

  thread_state& self() noexcept { return threads_[running_]; }
  [[nodiscard]] const thread_state& self() const noexcept { return threads_[running_]; }
  [[nodiscard]] event_id next_id() const noexcept;

  void run_from(const execution_graph& graph);
  void start_thread(std::size_t number);
  void schedule();
  bool resume_any_replaying();
  thread_state* next_runnable();
  void resume(thread_state& thread);
  void suspend();
  [[noreturn]] void abandon();
  void finish();
  void look_for_deadlock();
  [[nodiscard]] bool reads_newest(const thread_state& thread, std::size_t number) const;

  bool await_turn(bool is_read);
  event& known_event(event_kind kind, std::uint16_t location);
  void learn(thread_state& thread, event& what, event_id id) const;
  void complete(event& what);
  event queue_of(const void* object, std::source_location where);
  template <class Change>
  void change_queue(event what, Change change);
  void await_growth();
  void keep_place(const event& what);
  std::uint16_t location_of(const void* object);
  void note(const void* address, std::size_t bytes, memory::access how);
  void check_access(const void* object, std::size_t bytes, memory::access how);

  using test_of_value = std::function<bool(word)>;
  word read(event what, order otherwise, const test_of_value& is_exclusive);
  void add_read(event what);
  void write(event what);
  void add_write(event what);
  [[nodiscard]] std::pair<std::size_t, std::size_t> places_of(const execution_graph& graph,
                                                              event_id write) const;
  void revisit(event_id read, event_id write);
  [[nodiscard]] bool is_maximal(event_id id, event_id write) const;
  [[nodiscard]] bool was_old(const event& read) const;
  void add_plain(event what);
  [[nodiscard]] std::string trace() const;

  memory memory_;
  std::array<thread_state, kMaxThreads> threads_;
  std::vector<execution_graph> pending_;
  execution_graph graph_;
  const std::function<void()>* scenario_ = nullptr;
  limits bound_;
  outcome result_;
  std::set<std::string> places_;
  std::size_t running_ = 0;
  std::size_t joined_ = 0;  // the threads for which the main thread waits
  std::size_t events_done_ = 0;
  std::size_t events_known_ = 0;  // of the initial graph of this execution
  bool abandoned_ = false;
  bool is_growing_ = false;  // this execution has passed its initial graph
};

}  // namespace model

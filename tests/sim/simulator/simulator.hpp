// A program on many virtual threads, each on a core of its own, in one execution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/simulator/counts.hpp"
#include "sim/simulator/machine.hpp"
#include "sim/simulator/memory.hpp"
#include "virtual/fiber.hpp"
#include "virtual/host.hpp"

namespace sim {

/// Runs the thread whose clock is the least, until it is not: what happens is a function of the
/// program, the machine and the seed. Each access adds to the clock of its thread what the machine
/// says that it costs.
///
/// ## Order
/// An access that a thread's own cache serves may be ahead of the other threads by the shortest
/// transfer between two cores: what these do reaches the thread no earlier. All other accesses
/// happen in the order of the clocks.
///
/// ## Stores
/// A store goes through a buffer: its thread continues at once. A read-modify-write waits for its
/// line, and for the stores before it. Memory has the new value at once, as if it was sequentially
/// consistent; what weaker memory may do is the model checker's to explore.
///
/// ## Loops that wait
/// A loop that waits calls `pause`. A turn from one pause to the next is *idle* if the thread's own
/// cache served all of it, and its accesses were those of the turn before: then the turns that
/// follow are the same until another core takes one of the thread's lines. The thread is *parked*
/// for that long, and what a turn counts is added once for each turn that fits into the time. A turn
/// that differs from the one before, as of a thief that looks at victims at random, is run.
class simulator final : public virtual_threads::host {
 public:
  /// `seed`: of the differences between pauses, which keep threads from running in step.
  simulator(const machine& on, std::uint64_t seed);
  ~simulator() override;

  static simulator* current() noexcept { return static_cast<simulator*>(host::current()); }

  /// Runs `body` on the main thread, on core 0, and everything that it starts.
  void run(std::function<void()> body);

  // ---- for virtual threads ----

  [[nodiscard]] std::size_t thread() const noexcept override { return running_->number; }
  std::size_t start(std::function<void()> body) override;
  void join(std::size_t number) override;
  void yield() override;

  enum class access : std::uint8_t { read, write, read_modify_write };
  /// An access to memory. The caller then does it, before anything else here.
  void note(const void* address, std::size_t bytes, access how);
  void note_read(const void* address, std::size_t bytes) override {
    note(address, bytes, access::read);
  }
  void note_write(const void* address, std::size_t bytes) override {
    note(address, bytes, access::write);
  }
  /// The thread's stores have arrived.
  void full_fence() noexcept;

  /// Reads the clock, in cycles.
  std::uint64_t read_clock();
  /// What a look at the clock would say if it took no time.
  [[nodiscard]] std::uint64_t now() const noexcept { return running_->clock; }
  [[nodiscard]] const machine& on() const noexcept { return machine_; }
  /// The thread computes, without accesses.
  void spend(std::uint64_t cycles);
  /// The thread waits in a loop.
  void pause();
  /// The turns of its loop that the thread was parked for since the last call.
  std::uint32_t take_turns_parked() noexcept;

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void free(void* block) override;
  [[nodiscard]] bool owns(const void* block) const noexcept override {
    return memory_.contains(block);
  }
  void* thread_local_of(const void* variable, std::size_t bytes, std::size_t alignment,
                        const void* initial) override;
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return memory_.bytes_in_use(); }
  [[nodiscard]] std::pair<std::uintptr_t, std::uintptr_t> stack() const noexcept;

  void lock(const void* mutex) override;
  bool try_lock(const void* mutex) override;
  void unlock(const void* mutex) override;

  /// futex(2). `limit_ns` 0: none. False: the word had another value, or the time is over.
  bool futex_wait(const void* word, std::uint32_t value, std::uint64_t limit_ns);
  std::size_t futex_wake(const void* word, std::size_t most);
  void sleep(std::uint64_t ns);
  /// membarrier(2).
  void heavy_fence();

  /// While it lives, no other thread runs: for the initialisation of static objects.
  void hold() noexcept { ++holds_; }
  void let_go() noexcept { --holds_; }

  /// Counts something that the simulator cannot see.
  void count_one(count what) noexcept { running_->counted.add(what); }
  /// Of all threads.
  [[nodiscard]] counts counted() const;
  /// Begins anew with what the next two tell.
  void begin_counting() noexcept;
  /// Line transfers of the thread that has most of them.
  [[nodiscard]] std::uint64_t most_line_transfers() const noexcept;
  /// A chain of wake-ups is a thread that was woken by one that was woken, and so on: the longest.
  [[nodiscard]] std::uint32_t longest_wake_up_chain() const noexcept { return longest_chain_; }

 private:
  // Since a thread's last pause.
  struct turn {
    std::uint64_t begin = 0;
    std::uint64_t accesses = 0;  // a hash of them, in order
    bool is_idle = true;
    counts before;
  };

  enum class status : std::uint8_t { runnable, parked, sleeping, blocked, ended };

  struct virtual_thread {
    std::size_t number = 0;
    virtual_threads::fiber context;
    std::function<void()> body;
    std::uint64_t clock = 0;
    std::uint64_t stores_done = 0;
    std::uint64_t random = 0;
    std::uint64_t due_time = 0;  // of its entry in the queue
    std::uint32_t stamp = 0;     // of that: entries with others are void
    status now = status::runnable;
    bool was_woken = false;
    std::uint32_t chain = 0;  // of wake-ups
    counts counted;
    counts at_begin;  // of counting
    turn present;
    std::uint64_t accesses_of_last_turn = 0;
    std::uint32_t turns_parked = 0;
    std::vector<std::pair<const void*, void*>> locals;
    std::vector<std::size_t> joining;
  };

  // An entry of the queue of threads that will run, the next one first.
  struct due {
    std::uint64_t time;
    std::size_t thread;
    std::uint32_t stamp;
    friend bool operator<(const due& a, const due& b) noexcept {  // of a heap: the last one first
      return a.time != b.time ? a.time > b.time : a.thread > b.thread;
    }
  };

  struct mutex_state {
    bool is_locked = false;
    std::deque<std::size_t> waiting;
  };

  static void live(void* argument);
  void resume_next();
  void enqueue(virtual_thread& thread, std::uint64_t time);
  std::uint64_t suspend(status as);
  void take_turn();
  void note_line(std::uintptr_t address, access how);
  void miss(line& at, access how);
  void fetch(line& at, access how);
  void pass(std::uint64_t cycles) noexcept;
  void park(std::uint64_t turn_cycles);
  void unpark(std::size_t number, std::uint64_t time);

  machine machine_;
  std::uint64_t seed_;
  std::uint64_t lookahead_;
  memory memory_;
  std::vector<std::unique_ptr<virtual_thread>> threads_;
  virtual_thread* running_ = nullptr;
  std::vector<due> queue_;
  std::uint64_t horizon_ = 0;  // no thread is due earlier
  std::uint32_t holds_ = 0;
  std::uint32_t longest_chain_ = 0;
  std::map<const void*, std::deque<std::size_t>> sleepers_;
  std::map<const void*, mutex_state> mutexes_;
};

}  // namespace sim

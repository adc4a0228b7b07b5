// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/simulator.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace sim {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max() / 2;

// A parked thread has as many turns at most: one less than a loop of the library has from one
// reading of the clock to the next (spin_wait::kLooksPerClockRead).
constexpr std::uint64_t kMostTurnsParked = 63;

// A pause takes this part of itself longer at most.
constexpr std::uint64_t kJitter = 8;

// xorshift64 (Marsaglia 2003).
std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

// Never 0. The multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4).
std::uint64_t random_of(std::uint64_t seed, std::size_t thread) {
  return (seed * kMaxCores + thread + 1) * 0x9e3779b97f4a7c15U;
}

// FNV-1a's step (Fowler, Noll, Vo), on words.
void mix(std::uint64_t& hash, std::uint64_t with) { hash = (hash ^ with) * 0x100000001b3U; }

}  // namespace

simulator::simulator(const machine& on, std::uint64_t seed)
    : machine_{on}, seed_{seed}, lookahead_{on.shortest_transfer()} {}

simulator::~simulator() = default;

// ---- threads ----

void simulator::run(std::function<void()> body) {
  start(std::move(body));
  while (threads_.front()->now != status::ended) {
    resume_next();
  }
}

void simulator::resume_next() {
  due first{};
  do {
    if (queue_.empty()) {
      std::fprintf(stderr, "sim: all threads wait for ever\n");
      std::abort();
    }
    std::pop_heap(queue_.begin(), queue_.end());
    first = queue_.back();
    queue_.pop_back();
  } while (threads_[first.thread]->stamp != first.stamp);
  horizon_ = queue_.empty() ? kNever : queue_.front().time;
  running_ = threads_[first.thread].get();
  ++running_->stamp;
  running_->context.resume();
  inside_ = false;
}

void simulator::enqueue(virtual_thread& thread, std::uint64_t time) {
  thread.due_time = time;
  queue_.push_back({.time = time, .thread = thread.number, .stamp = ++thread.stamp});
  std::push_heap(queue_.begin(), queue_.end());
  horizon_ = std::min(horizon_, time);
}

// Lets others run until the thread is due. Returns when it was.
std::uint64_t simulator::suspend(status as) {
  virtual_thread& self = *running_;
  self.now = as;
  self.context.suspend();
  self.now = status::runnable;
  return self.due_time;
}

// Returns when no other thread is due before the calling one.
void simulator::take_turn() {
  while (running_->clock > horizon_ && holds_ == 0) {
    enqueue(*running_, running_->clock);
    suspend(status::runnable);
  }
}

// Whatever is not an access to memory: no two turns of a loop with that are the same.
void simulator::pass(std::uint64_t cycles) noexcept {
  running_->clock += cycles;
  running_->present.is_idle = false;
}

void simulator::live(void* argument) {
  auto& self = *static_cast<virtual_thread*>(argument);
  simulator& of = *current();
  of.inside_ = true;
  self.body();
  self.body = nullptr;
  of.inside_ = false;
  for (const std::size_t waiting : self.joining) {
    of.enqueue(*of.threads_[waiting], self.clock);
  }
  of.suspend(status::ended);
}

std::size_t simulator::start(std::function<void()> body) {
  const own_code scope{*this};
  const std::size_t number = threads_.size();
  if (number == kMaxCores) {
    std::fprintf(stderr, "sim: more than %zu threads\n", kMaxCores);
    std::abort();
  }
  threads_.push_back(std::make_unique<virtual_thread>());
  virtual_thread& thread = *threads_.back();
  thread.number = number;
  thread.body = std::move(body);
  thread.random = random_of(seed_, number);
  if (running_ != nullptr) {
    pass(machine_.system_call);
    thread.clock = running_->clock;
  }
  if (machine_.latest_start != 0) {
    thread.clock += next_random(thread.random) % machine_.latest_start;
  }
  thread.context.prepare(memory_.stack(number), memory::kStackBytes, &simulator::live, &thread);
  enqueue(thread, thread.clock);
  return number;
}

void simulator::join(std::size_t number) {
  const own_code scope{*this};
  take_turn();
  pass(machine_.system_call);
  if (threads_[number]->now != status::ended) {
    threads_[number]->joining.push_back(running_->number);
    running_->clock = std::max(running_->clock, suspend(status::blocked));
  }
}

void simulator::yield() {
  const own_code scope{*this};
  pass(machine_.system_call);
  take_turn();
}

std::pair<std::uintptr_t, std::uintptr_t> simulator::stack() const noexcept {
  const auto lowest = reinterpret_cast<std::uintptr_t>(memory_.stack(running_->number));
  return {lowest, lowest + memory::kStackBytes};
}

// ---- accesses ----

void simulator::note(const void* address, std::size_t bytes, access how) {
  if (running_->clock > horizon_ + lookahead_) [[unlikely]] {
    const own_code scope{*this};
    take_turn();
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t end = begin + (bytes == 0 ? 1 : bytes);
  for (std::uintptr_t at = begin; at < end;
       at = (at / memory::kLineBytes + 1) * memory::kLineBytes) {
    note_line(at, how);
  }
  if (how == access::read_modify_write) {
    running_->counted.add(count::read_modify_writes);
    running_->clock = std::max(running_->clock, running_->stores_done) + machine_.read_modify_write;
  }
}

void simulator::note_line(std::uintptr_t address, access how) {
  virtual_thread& self = *running_;
  self.counted.add(count::accesses);
  mix(self.present.accesses, address * 4 + static_cast<unsigned>(how));
  line* const at = memory_.line_of(address);
  if (at == nullptr || at->is_owned_by(self.number)) {
    self.clock += machine_.hit;
  } else if (how == access::read && at->sharers.has(self.number)) {
    self.counted.add(count::shared_accesses);
    self.clock += machine_.hit;
  } else {
    const own_code scope{*this};
    miss(*at, how);
  }
}

void simulator::miss(line& at, access how) {
  virtual_thread& self = *running_;
  take_turn();
  // Others may have run meanwhile: it is as if the thread asked now.
  if (how == access::read ? at.is_readable_by(self.number) : at.is_owned_by(self.number)) {
    self.clock += machine_.hit;
  } else {
    fetch(at, how);
  }
}

void simulator::fetch(line& at, access how) {
  virtual_thread& self = *running_;
  const transfer done = how == access::read ? fetch_to_read(at, self.number, self.clock, machine_)
                                            : fetch_to_write(at, self.number, self.clock, machine_);
  self.present.is_idle = false;
  if (!done.from_memory) {
    self.counted.add(count::shared_accesses);
    self.counted.add(count::line_transfers);
    self.counted.add(count::invalidations, how == access::read ? 0 : done.lost.size());
    done.lost.for_each([&](std::size_t core) { unpark(core, done.end); });
  }
  self.clock += machine_.hit;
  if (how == access::read) {
    self.clock = std::max(self.clock, done.end);
  } else {
    self.stores_done = std::max(self.stores_done, done.end);
  }
}

void simulator::full_fence() noexcept {
  running_->clock = std::max(running_->clock, running_->stores_done);
}

// ---- time ----

std::uint64_t simulator::read_clock() {
  pass(machine_.clock_read);
  return running_->clock;
}

void simulator::spend(std::uint64_t cycles) { pass(cycles); }

void simulator::pause() {
  const own_code scope{*this};
  virtual_thread& self = *running_;
  turn& done = self.present;
  self.counted.add(count::looks);
  self.clock += machine_.pause + next_random(self.random) % (machine_.pause / kJitter + 1);
  if (done.is_idle && done.accesses == self.accesses_of_last_turn) {
    park(self.clock - done.begin);
  }
  self.accesses_of_last_turn = done.is_idle ? done.accesses : 0;
  done = {.begin = self.clock, .accesses = 0, .is_idle = true, .before = self.counted};
}

void simulator::park(std::uint64_t turn_cycles) {
  virtual_thread& self = *running_;
  enqueue(self, self.clock + kMostTurnsParked * turn_cycles);
  const std::uint64_t slept = suspend(status::parked) - self.clock;
  const std::uint64_t turns = (slept + turn_cycles - 1) / turn_cycles;
  self.clock += turns * turn_cycles;
  self.counted.add(counts{self.counted}, self.present.before, turns);
  self.turns_parked += static_cast<std::uint32_t>(turns);
}

void simulator::unpark(std::size_t number, std::uint64_t time) {
  virtual_thread& thread = *threads_[number];
  if (thread.now == status::parked && time < thread.due_time) {
    enqueue(thread, std::max(time, thread.clock));
  }
}

std::uint32_t simulator::take_turns_parked() noexcept {
  return std::exchange(running_->turns_parked, 0);
}

// ---- memory ----

void* simulator::allocate(std::size_t bytes, std::size_t alignment) {
  const own_code scope{*this};
  return memory_.allocate(running_->number, bytes, alignment);
}

void simulator::free(void* block) {
  const own_code scope{*this};
  memory_.free(running_->number, block);
}

void* simulator::thread_local_of(const void* variable, std::size_t bytes, std::size_t alignment,
                                 const void* initial) {
  const own_code scope{*this};
  for (const auto& [known, copy] : running_->locals) {
    if (known == variable) {
      return copy;
    }
  }
  void* const copy = memory_.allocate(running_->number, bytes, alignment);
  initial != nullptr ? std::memcpy(copy, initial, bytes) : std::memset(copy, 0, bytes);
  running_->locals.emplace_back(variable, copy);
  return copy;
}

// ---- what the system does for threads ----

void simulator::lock(const void* mutex) {
  const own_code scope{*this};
  note(mutex, 1, access::read_modify_write);
  take_turn();
  mutex_state& state = mutexes_[mutex];
  if (state.is_locked) {
    state.waiting.push_back(running_->number);
    running_->clock = std::max(running_->clock, suspend(status::blocked));  // it has it now
  }
  state.is_locked = true;
}

bool simulator::try_lock(const void* mutex) {
  const own_code scope{*this};
  note(mutex, 1, access::read_modify_write);
  take_turn();
  return !std::exchange(mutexes_[mutex].is_locked, true);
}

void simulator::unlock(const void* mutex) {
  const own_code scope{*this};
  note(mutex, 1, access::write);
  take_turn();
  mutex_state& state = mutexes_[mutex];
  state.is_locked = !state.waiting.empty();
  if (state.is_locked) {
    pass(machine_.wake);
    running_->counted.add(count::wake_ups);
    enqueue(*threads_[state.waiting.front()], running_->clock + machine_.wake_up);
    state.waiting.pop_front();
  }
}

bool simulator::futex_wait(const void* word, std::uint32_t value, std::uint64_t limit_ns) {
  const own_code scope{*this};
  virtual_thread& self = *running_;
  pass(machine_.system_call);
  note(word, sizeof value, access::read);
  take_turn();
  std::uint32_t present = 0;
  std::memcpy(&present, word, sizeof present);
  if (present != value) {
    return false;
  }
  self.counted.add(count::sleeps);
  self.was_woken = false;
  sleepers_[word].push_back(self.number);
  if (limit_ns != 0) {
    enqueue(self, self.clock + machine_.cycles(static_cast<double>(limit_ns)));
  }
  self.clock = std::max(self.clock, suspend(status::sleeping));
  if (!self.was_woken) {
    std::erase(sleepers_[word], self.number);
  }
  return self.was_woken;
}

std::size_t simulator::futex_wake(const void* word, std::size_t most) {
  const own_code scope{*this};
  virtual_thread& self = *running_;
  take_turn();
  pass(machine_.system_call);
  std::deque<std::size_t>& asleep = sleepers_[word];
  std::size_t woken = 0;
  for (; woken < most && !asleep.empty(); ++woken) {
    virtual_thread& thread = *threads_[asleep.front()];
    asleep.pop_front();
    pass(machine_.wake);
    self.counted.add(count::wake_ups);
    thread.was_woken = true;
    thread.chain = self.chain + 1;
    longest_chain_ = std::max(longest_chain_, thread.chain);
    enqueue(thread, self.clock + machine_.wake_up);
  }
  return woken;
}

void simulator::sleep(std::uint64_t ns) {
  const own_code scope{*this};
  pass(machine_.system_call + machine_.cycles(static_cast<double>(ns)));
  take_turn();
}

void simulator::heavy_fence() {
  const own_code scope{*this};
  take_turn();
  full_fence();
  pass(machine_.heavy_fence);
  running_->counted.add(count::heavy_fences);
  const auto runs = [&](const auto& each) {
    return each.get() != running_ && (each->now == status::runnable || each->now == status::parked);
  };
  running_->counted.add(count::interrupts,
                        static_cast<std::uint64_t>(std::ranges::count_if(threads_, runs)));
}

// ---- counts ----

counts simulator::counted() const {
  counts sum;
  for (const auto& thread : threads_) {
    sum.add(thread->counted, counts{}, 1);
  }
  return sum;
}

void simulator::begin_counting() noexcept {
  longest_chain_ = 0;
  for (const auto& thread : threads_) {
    thread->chain = 0;
    thread->at_begin = thread->counted;
  }
}

std::uint64_t simulator::most_line_transfers() const noexcept {
  std::uint64_t most = 0;
  for (const auto& thread : threads_) {
    most = std::max(
        most, thread->counted[count::line_transfers] - thread->at_begin[count::line_transfers]);
  }
  return most;
}

}  // namespace sim

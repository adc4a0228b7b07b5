// SPDX-License-Identifier: Apache-2.0
#include "hot_team.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "../region_memory.hpp"
#include "../scheduler.hpp"
#include "../settings.hpp"
#include "affinity_format.hpp"
#include "baton_tree.hpp"
#include "waiting.hpp"

namespace fg::omp::runtime {
namespace {

// Copies of the process (fork) around this one. A copy has one thread: teams of its parent are
// abandoned. Plain: written in the child before it has a second thread.
constinit unsigned process_copies = 0;

void watch_forks() noexcept {
  static const int watching = pthread_atfork(nullptr, nullptr, [] {
    ++process_copies;
    threads_in_regions().store(0, memory_order_relaxed);  // the child has no other thread yet
  });
  static_cast<void>(watching);
}

std::uint64_t patience(bool crowded) noexcept { return settings::instance().spin_ticks(crowded); }

// Waits for the baton without running tasks. In two loops, neither of which asks at each look how to
// wait.
template <bool Crowded>
[[gnu::always_inline]] inline void await_idle(baton& turn, side own) noexcept {
  spin_wait<> idle;
  while (!turn.has_reached(own)) {
    relax(Crowded);
    if (idle.count_look() && idle.waited_ticks() > patience(Crowded)) {
      turn.sleep_before(own, [] { return true; });
    }
  }
}

[[gnu::always_inline]] inline void await_idle(baton& turn, side own, bool crowded) noexcept {
  crowded ? await_idle<true>(turn, own) : await_idle<false>(turn, own);
}

// Looks at a word between two at whether the region has queues, whose line is another one: some
// 200 ns of pauses (EPYC 9005, KVM). Not tuned.
constexpr std::uint64_t kLooksPerTeam = 8;

template <class T>
void set_if_changed(T& field, const T& now) noexcept {
  if (field != now) {
    field = now;
  }
}

}  // namespace

atomic<int>& threads_in_regions() noexcept {
  static constinit atomic<int> count{0};
  return count;
}

control_values& implicit_part::own() noexcept {
  if (own_values == nullptr) {
    own_values.reset(new (std::nothrow) control_values{current()});
    if (own_values == nullptr) {
      end_without_memory("control variables");
    }
    values = own_values.get();
  }
  return *own_values;
}

hot_team::hot_team() noexcept
    : cancels_{settings::instance().cancels()},
      displays_{environment().displays_affinity},
      binding_{team_binding::make()},
      tidies_{cancels_ || binding_ != nullptr},
      room_{static_cast<unsigned>(environment().cpus)},
      joins_at_length_{tidies_} {}

hot_team& hot_team::of(thread& self) noexcept {
  watch_forks();
  hot_team** at = &self.led;
  while (*at != nullptr && (*at)->generation_ == process_copies && (*at)->is_open_) {
    at = &(*at)->next_;
  }
  if (*at == nullptr || (*at)->generation_ != process_copies) {
    // What belongs to the parent process is left as it is: its threads do not exist here.
    *at = new (std::nothrow) hot_team;
    if (*at == nullptr) {
      end_without_memory("a team");
    }
    (*at)->generation_ = process_copies;
  }
  return **at;
}

// A worker that has others below it in wide regions. In a function of its own, so that the others do
// not ask.
template <bool MayLead>
void* hot_team::serve(void* which) noexcept {
  auto& mine = *static_cast<worker*>(which);
  thread& self = thread::here();
  const bool beyond_cpus = mine.number >= static_cast<std::uint32_t>(environment().cpus);
  for (;;) {
    // A worker that a region as wide as the CPUs does not need must not take a CPU from it.
    await_idle(mine.turn, side::worker, beyond_cpus || mine.team->is_crowded());
    if (mine.call.run == nullptr) [[unlikely]] {
      end_threads(self);  // those of its own regions
      return nullptr;
    }
    if constexpr (MayLead) {
      mine.team->start_below(mine);
    }
    mine.team->run_part(self, mine.number, mine.call);
    if constexpr (MayLead) {
      mine.team->join_below(mine.number);
    }
    mine.turn.pass_to(side::leader);
  }
}

bool hot_team::add_worker() noexcept {
  pthread_attr_t attributes{};
  if (pthread_attr_init(&attributes) != 0) {
    return false;
  }
  // Relaxed: a number that orders nothing; see stack_bytes.
  if (const std::size_t bytes = stack_bytes().load(memory_order_relaxed); bytes != 0) {
    pthread_attr_setstacksize(&attributes, bytes);
  }
  bool started = false;
  try {
    auto made = std::make_unique<worker>();
    made->team = this;
    made->number = static_cast<std::uint32_t>(workers_.size() + 1);
    workers_.reserve(workers_.size() + 1);
    void* (*const routine)(void*) =
        tree::may_have_others_below(made->number) ? &serve<true> : &serve<false>;
    started = pthread_create(&made->system_thread, &attributes, routine, made.get()) == 0;
    if (started) {
      workers_.push_back(std::move(made));
    }
  } catch (const std::bad_alloc&) {
    end_without_memory("a thread");
  }
  pthread_attr_destroy(&attributes);
  return started;
}

void hot_team::end_workers() noexcept {
  for (const auto& each : workers_) {
    each->call = {};
    each->turn.pass_to(side::worker);
  }
  for (const auto& each : workers_) {
    pthread_join(each->system_thread, nullptr);
  }
  workers_.clear();
  ready_ = 0;
  if (binding_ != nullptr) {
    binding_->forget_workers();
  }
}

void hot_team::end_threads(thread& self) noexcept {
  for (hot_team* each = self.led; each != nullptr && each->generation_ == process_copies;
       each = each->next_) {
    each->end_workers();
  }
}

// As far as the system gives threads.
void hot_team::grow(unsigned size) noexcept {
  const std::size_t before = workers_.size();
  while (workers_.size() + 1 < size && add_worker()) {
  }
  if (workers_.size() == before) {
    return;
  }
  shared_.shares.reset(new (std::nothrow) loop_share[workers_.size() + 1]);
  if (shared_.shares == nullptr) {
    end_without_memory("a team");
  }
  shares_ = 0;
}

// Those of threads that have not been in the latest regions with such loops.
void hot_team::update_shares(unsigned size) noexcept {
  for (; shares_ < size; ++shares_) {
    shared_.shares[shares_].reset(loops_.stealing);
  }
}

// Makes the threads, and binds them; returns how many the region gets.
unsigned hot_team::prepare(thread& self, unsigned size) noexcept {
  grow(size);
  const auto ready = static_cast<unsigned>(workers_.size() + 1);
  size = std::min(size, ready);
  if (binding_ == nullptr) {
    set_if_changed(ready_, std::min(ready, kMostFlat));  // all threads have its line
  } else if (binding_->arrange(self, size)) {
    for (std::uint32_t number = 1; number < size; ++number) {
      binding_->bind(number, worker_of(number).system_thread);
    }
    room_ = binding_->is_tight() ? 0 : static_cast<unsigned>(environment().cpus);
  }
  return size;
}

unsigned hot_team::fork(thread& self, unsigned size, const region_call& call) noexcept {
  if (size > ready_) [[unlikely]] {
    return fork_prepared(self, prepare(self, size), call);
  }
  const bool expects_tasks = open(self, size, call);
  for (std::uint32_t number = 1; number < size; ++number) {
    start(number, expects_tasks, loops_.stealing, call);
  }
  begin_own_part(call, expects_tasks);
  return size;
}

unsigned hot_team::fork_prepared(thread& self, unsigned size, const region_call& call) noexcept {
  const bool expects_tasks = open(self, size, call);
  const auto start_one = [&](std::uint32_t number) {
    start(number, expects_tasks, loops_.stealing, call);
  };
  if (is_wide()) {
    joins_at_length_ = true;
    tree::farthest_first(0, size, start_one);
  } else {
    for (std::uint32_t number = 1; number < size; ++number) {
      start_one(number);
    }
  }
  begin_own_part(call, expects_tasks);
  return size;
}

// What its threads find when they begin. Returns whether tasks are expected.
bool hot_team::open(thread& self, unsigned size, const region_call& call) noexcept {
  if (size > 1) {  // one thread has no shares
    update_shares(size);
  }
  is_open_ = true;
  implicit_part& outer = part_of(self);
  const region_place& around = *outer.place;
  set_if_changed(place_, {.outer = &outer,
                          .values = &outer.current(),
                          .level = around.level + 1,
                          .active_level = around.active_level + (size > 1 ? 1 : 0),
                          .size = size,
                          .width = around.width * size});
  const bool crowded = place_.width > room_;
  if (is_crowded() != crowded) {
    is_crowded_.store(crowded, memory_order_relaxed);  // a hint for those that wait
  }
  return region_memory::instance().expects_tasks(call.body);
}

// What the leader keeps of it.
void hot_team::begin_own_part(const region_call& call, bool expects_tasks) noexcept {
  code_ = call.body;
  expects_tasks_ = expects_tasks;
}

// By the thread above.
void hot_team::start(std::uint32_t number, bool expects_tasks, loop_share::loop_number last_loop,
                     const region_call& call) noexcept {
  worker& other = worker_of(number);
  other.expects_tasks = expects_tasks;
  other.last_loop = last_loop;
  other.call = call;
  other.turn.pass_to(side::worker);
}

// On `above`, before its own part.
void hot_team::start_below(const worker& above) noexcept {
  if (is_wide()) {
    tree::farthest_first(above.number, place_.size, [&](std::uint32_t number) {
      start(number, above.expects_tasks, above.last_loop, above.call);
    });
  }
}

void hot_team::enter(thread& self, frame& part, implicit_part& own, std::uint32_t number) noexcept {
  own.place = &place_;
  own.shared = &shared_;
  own.number = number;
  own.ran_single = number == 0;  // the leader has the line, as it has set it back
  self.enter(part, region_, number, place_.size, static_cast<int>(self.id) - 1);
  part.threads = this;
  part.own = &own;
  if (cancels_) [[unlikely]] {
    part.implicit.group = &shared_.cancelling.tasks();
  }
  part.expects_tasks = number == 0 ? expects_tasks_ : worker_of(number).expects_tasks;
  own.loops.stealing = number == 0 ? loops_.stealing : worker_of(number).last_loop;
  ++self.regions;
}

void hot_team::leave(thread& self, std::uint64_t tasks_before) noexcept {
  const implicit_part& own = *self.inner->own;
  if (own.number == 0) {
    if (loops_.stealing != own.loops.stealing) {
      shares_ = place_.size;
    }
    loops_ = own.loops;
    singles_ = own.singles;
  }
  if (self.tasks != tasks_before) {
    region_.made_tasks.store(true, memory_order_relaxed);  // read after the join
  }
  end_part(self);
}

void hot_team::run_part(thread& self, std::uint32_t number, const region_call& call) noexcept {
  const std::uint64_t tasks_before = self.tasks;
  implicit_part own;
  frame part;
  enter(self, part, own, number);
  if (displays_) [[unlikely]] {
    tell_affinity(self);
  }
  call.run(self, call);
  leave(self, tasks_before);
}

// The baton between a thread of a wide region and the one above it.
auto hot_team::batons() noexcept {
  const auto turn_of = [this](std::uint32_t number) -> baton& { return worker_of(number).turn; };
  return baton_tree<tree, decltype(turn_of)>{place_.size, turn_of};
}

// On thread `number`, after its own part.
void hot_team::join_below(std::uint32_t number) noexcept {
  if (is_wide()) {
    batons().gather(number, [&](baton& turn) { await_idle(turn, side::leader, is_crowded()); });
  }
}

void hot_team::join() noexcept {
  if (joins_at_length_) [[unlikely]] {
    join_at_length();
    return;
  }
  join_flat();
  end_region();
}

void hot_team::join_flat() noexcept {
  for (std::uint32_t number = 1; number < place_.size; ++number) {
    await_idle(worker_of(number).turn, side::leader, is_crowded());
  }
}

void hot_team::join_at_length() noexcept {
  if (is_wide()) {
    join_below(0);
    joins_at_length_ = tidies_;
  } else {
    join_flat();
  }
  end_region();
  if (tidies_) {
    tidy_up();
  }
}

// All workers have ended their parts.
void hot_team::end_region() noexcept {
  dissolve(region_);
  // Relaxed: all of the team are awaited above, so their stores have happened before.
  region_memory::instance().remember(code_, region_.made_tasks.load(memory_order_relaxed));
  region_.renew();
  shared_.renew(std::exchange(loops_.shared, 0), std::exchange(singles_, 0) != 0);
  is_open_ = false;
}

void hot_team::tidy_up() noexcept {
  if (cancels_ && shared_.cancelling.renew()) {
    shared_.clean();
    shares_ = 0;
  }
  if (binding_ != nullptr) {
    binding_->end_region();
  }
}

void hot_team::tell_team() const noexcept {
  // Sequentially consistent: see the protocol.
  if (team* const team = region_.team.load(memory_order_seq_cst)) {
    team->tell_waiting();
  }
}

bool hot_team::has_queues() const noexcept {
  return region_.team.load(memory_order_seq_cst) != nullptr;  // see the protocol
}

// Waits in a barrier, and runs tasks as soon as the region has some.
template <class Word, class Mark>
void hot_team::await(thread& self, Word& word, Mark mark) noexcept {
  await(self, word, mark, [] { return true; });
}

// The same, but runs tasks only once `may_help()` is true. If it is not it has been waited for.
template <class Word, class Mark, class MayHelp>
void hot_team::await(thread& self, Word& word, Mark mark, MayHelp may_help) noexcept {
  struct wanted {
    const Word* word;
    Mark mark;
  } const what{&word, mark};
  spin_wait<> idle;
  while (!word.has_reached(mark)) {
    relax(is_crowded());
    if (!idle.count_look() && idle.looks() % kLooksPerTeam != 0) {
      continue;
    }
    if (has_queues()) {
      if (!may_help()) {
        continue;
      }
      help_until(
          self,
          [](const void* of) {
            const auto& its = *static_cast<const wanted*>(of);
            return its.word->has_reached(its.mark);
          },
          &what);
      return;
    }
    if (idle.waited_ticks() > patience(is_crowded())) {
      word.sleep_before(mark, [&] { return !has_queues(); });
    }
  }
}

void hot_team::meet(thread& self) noexcept {
  const auto number = static_cast<std::uint32_t>(self.inner->number);
  worker& first = worker_of(1);
  if (cancels_) [[unlikely]] {
    meet_unless_cancelled(self);
  } else if (place_.size == 2) {
    number == 0 ? meet_other(self, first.of_leader, first.of_worker)
                : meet_other(self, first.of_worker, first.of_leader);
  } else if (is_wide()) {
    meet_in_tree(self, number);
  } else if (number == 0) {
    gather_and_release(self);
  } else {
    worker& mine = worker_of(number);
    mine.turn.pass_to(side::leader);
    tell_team();
    await(self, mine.turn, side::worker);
  }
}

void hot_team::meet_other(thread& self, signal_count& own, signal_count& others) noexcept {
  // Each of the two raises its count once a barrier, so both counts are to become the same. Nothing
  // else is written in these lines: the other thread looks at them, and would take them in between.
  const std::uint32_t next = own.raise();
  tell_team();
  await(self, others, next);
}

void hot_team::gather_and_release(thread& self) noexcept {
  for (std::uint32_t each = 1; each < place_.size; ++each) {
    await(self, worker_of(each).turn, side::leader);
  }
  for (std::uint32_t each = 1; each < place_.size; ++each) {
    worker_of(each).turn.pass_to(side::worker);
  }
  tell_team();
}

// How a thread waits in the barrier of a wide region.
struct hot_team::waiting_in_tree {
  hot_team& team;
  thread& self;

  void for_pass_up(baton& turn) const noexcept { team.await(self, turn, side::leader); }

  bool for_pass_down(baton& turn, bool announces) const noexcept {
    bool is_busy = false;
    team.await(self, turn, side::worker,
               [&] { return !announces || (is_busy = turn.become_busy()); });
    return is_busy;
  }

  void tell() const noexcept { team.tell_team(); }
};

void hot_team::meet_in_tree(thread& self, std::uint32_t number) noexcept {
  waiting_in_tree waiting{*this, self};
  batons().meet(number, waiting);
}

// The same in a reduction without a barrier, which is no place for tasks: one of them could wait for
// a thread that waits for this one.
struct hot_team::waiting_idle {
  const hot_team& team;

  void for_pass_up(baton& turn) const noexcept { await(turn, side::leader); }

  bool for_pass_down(baton& turn, bool /*announces*/) const noexcept {
    await(turn, side::worker);
    return false;
  }

  // Nobody waits for these passes on the gates.
  static void tell() noexcept {}

  void await(baton& turn, side own) const noexcept { await_idle(turn, own, team.is_crowded()); }
};

bool hot_team::combine(thread& self, void* own, void (*add)(void*, void*), bool meets) noexcept {
  const auto number = static_cast<std::uint32_t>(self.inner->number);
  if (number != 0) {
    // In the line that goes up anyway. The call that it was for has begun, and is read no more.
    worker_of(number).call.arguments.front() = own;
  }
  const auto take = [&](std::uint32_t other) { add(own, worker_of(other).call.arguments.front()); };
  if (!meets) {
    waiting_idle waiting{*this};
    batons().bring_up(number, waiting, take);
    return number == 0;
  }
  waiting_in_tree waiting{*this, self};
  batons().come_up(number, waiting, take);
  if (number == 0) {
    is_combining_ = true;
    return true;
  }
  batons().go_down(number, waiting);
  return false;
}

void hot_team::end_combining(thread& self) noexcept {
  is_combining_ = false;
  waiting_in_tree waiting{*this, self};
  batons().go_down(0, waiting);
}

void hot_team::meet_unless_cancelled(thread& self) noexcept {
  cancellation& cancelling = shared_.cancelling;
  if (cancelling.is_cancelled()) {
    return;
  }
  if (cancelling.is_loop_cancelled()) {
    self.inner->own->loop.leave();  // compiled code has just jumped out of it
  }
  cancellable_barrier& barrier = cancelling.barrier();
  const std::uint32_t number = barrier.number();
  if (barrier.is_last(place_.size)) {
    cancelling.forget_loop();
    barrier.release();
    tell_team();
  } else {
    await(self, barrier, number);
  }
}

void hot_team::cancel() noexcept {
  shared_.cancelling.cancel();
  tell_team();
}

void hot_team::rouse() noexcept {
  if (cancels_) {
    shared_.cancelling.barrier().rouse();
    return;
  }
  worker_of(1).of_leader.rouse();
  worker_of(1).of_worker.rouse();
  for (std::uint32_t each = 1; each < place_.size; ++each) {
    worker_of(each).turn.rouse();
  }
}

}  // namespace fg::omp::runtime

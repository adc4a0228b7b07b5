// SPDX-License-Identifier: Apache-2.0
#include "checker/explorer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "checker/sc_order.hpp"

namespace model {
namespace {

const char* name_of(event_kind kind) {
  constexpr const char* kNames[]{"construct", "read", "write", "fence", "choose", "mark"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

explorer::~explorer() {
  for (thread_state& each : threads_) {
    each.body = nullptr;  // uses the scenario's memory
  }
}

// ---- executions, one after the other ----

outcome explorer::explore(const std::function<void()>& scenario, limits bound) {
  scenario_ = &scenario;
  bound_ = bound;
  result_ = {};
  pending_.assign(1, execution_graph{});
  while (!pending_.empty() && result_.violation.empty()) {
    if (bound.executions != 0 && result_.executions >= bound.executions) {
      result_.is_complete = false;
      break;
    }
    const execution_graph next = std::move(pending_.back());
    pending_.pop_back();
    run_from(next);
  }
  return result_;
}

void explorer::run_from(const execution_graph& graph) {
  graph_ = graph;
  memory_.start_over();
  events_done_ = 0;
  events_known_ = graph.size();
  abandoned_ = false;
  is_growing_ = false;
  for (thread_state& each : threads_) {
    each.now = status::absent;
    each.done = 0;
  }
  threads_[0].body = *scenario_;
  threads_[0].known = {};
  threads_[0].prefix = {};
  start_thread(0);
  schedule();
  result_.most_events = std::max<std::uint64_t>(result_.most_events, graph_.size());
}

// Requires: body, known and prefix are set.
void explorer::start_thread(std::size_t number) {
  thread_state& thread = threads_[number];
  thread.now = status::runnable;
  thread.done = 0;
  thread.acquirable = {};
  thread.released = {};
  thread.turn_begin = 0;
  thread.turns = 0;
  thread.locals.clear();
  const memory::span stack = memory_.stack(number);
  thread.context.prepare(
      stack.begin, stack.bytes,
      [](void* argument) {
        auto& of = *static_cast<explorer*>(argument);
        of.inside_ = true;
        of.self().body();
        of.self().body = nullptr;
        of.inside_ = false;
        of.add_plain({.kind = event_kind::mark});
        of.self().now = status::ended;
        of.suspend();
      },
      this);
}

// First the threads' events of the graph, in an order that reads-from allows. Then new ones, of the
// first thread that can continue.
void explorer::schedule() {
  while (events_done_ < events_known_ && !abandoned_) {
    if (!resume_any_replaying()) {
      std::fprintf(stderr, "model: an execution can not be repeated\n%s", trace().c_str());
      std::abort();
    }
  }
  if (!abandoned_ && !has_sc_order(graph_)) {
    return;
  }
  is_growing_ = true;
  while (!abandoned_) {
    thread_state* const next = next_runnable();
    if (next == nullptr) {
      finish();
      return;
    }
    resume(*next);
  }
}

bool explorer::resume_any_replaying() {
  bool any = false;
  for (thread_state& each : threads_) {
    const std::size_t before = events_done_;
    const status was = each.now;
    if (was == status::runnable || was == status::joining) {
      resume(each);
    }
    any = any || events_done_ != before || each.now != was;
    if (abandoned_ || events_done_ == events_known_) {
      return true;
    }
  }
  return any;
}

explorer::thread_state* explorer::next_runnable() {
  for (std::size_t i = 1; i < kMaxThreads; ++i) {
    if (threads_[i].now == status::runnable) {
      return &threads_[i];
    }
  }
  thread_state& main = threads_[0];
  const bool joins = main.now == status::joining && threads_[joined_].now == status::ended;
  return main.now == status::runnable || joins ? &main : nullptr;
}

void explorer::resume(thread_state& thread) {
  running_ = static_cast<std::size_t>(&thread - threads_.data());
  thread.context.resume();
  inside_ = false;
}

void explorer::suspend() {
  const bool was_inside = inside_;
  self().context.suspend();
  inside_ = was_inside;
}

void explorer::abandon() {
  abandoned_ = true;
  suspend();
  std::abort();
}

void explorer::fail(const std::string& what) {
  const checker_code scope{*this};
  if (result_.violation.empty()) {
    result_.violation = what + "\n" + trace();
  }
  abandon();
}

void explorer::finish() {
  if (threads_[0].now == status::ended) {
    if (memory_.blocks() != 0) {
      result_.violation =
          "memory was not freed: " + std::to_string(memory_.blocks()) + " blocks\n" + trace();
    }
    ++result_.executions;
  } else if (std::ranges::any_of(threads_, [](auto& each) { return each.now == status::cut; })) {
    ++result_.cut;
  } else {
    look_for_deadlock();
  }
}

void explorer::look_for_deadlock() {
  for (std::size_t i = 0; i < kMaxThreads; ++i) {
    if (threads_[i].now == status::blocked && !reads_newest(threads_[i], i)) {
      ++result_.dropped;
      return;
    }
  }
  result_.violation = "a thread waits for ever\n" + trace();
}

bool explorer::reads_newest(const thread_state& thread, std::size_t number) const {
  for (std::size_t i = thread.turn_begin; i < thread.done; ++i) {
    const event& each = graph_.thread(number)[i];
    if (each.kind == event_kind::read && !graph_.is_newest(each.writer)) {
      return false;
    }
  }
  return true;
}

// ---- events ----

event_id explorer::next_id() const noexcept {
  return {static_cast<std::uint16_t>(running_), threads_[running_].done};
}

// Waits until the thread's next event may happen. True: it is in the graph.
bool explorer::await_turn(bool is_read) {
  for (;;) {
    const event_id id = next_id();
    if (!graph_.has(id)) {
      if (events_done_ >= events_known_) {
        return false;
      }
    } else if (!is_read || graph_.at(id).kind != event_kind::read) {
      return true;
    } else {
      const event_id writer = graph_.at(id).writer;
      if (threads_[writer.thread].done > writer.index) {
        return true;
      }
    }
    suspend();
  }
}

event& explorer::known_event(event_kind kind, std::uint16_t location) {
  event& found = graph_.at(next_id());
  if (found.kind != kind || found.location != location) {
    std::fprintf(stderr, "model: the scenario does not do the same again: %s\n%s", name_of(kind),
                 trace().c_str());
    std::abort();
  }
  return found;
}

// What `thread` knows after `what`, and what that lets others know.
void explorer::learn(thread_state& thread, event& what, event_id id) const {
  if (what.kind == event_kind::read) {
    const event& writer = graph_.at(what.writer);
    thread.prefix.join(writer.prefix);
    if (!what.system) {
      (acquires(what.ordering) ? thread.known : thread.acquirable).join(writer.released);
    }
  }
  if (what.kind == event_kind::fence && acquires(what.ordering)) {
    thread.known.join(thread.acquirable);
  }
  thread.known.add(id);
  thread.prefix.add(id);
  if (what.kind == event_kind::fence && releases(what.ordering)) {
    thread.released = thread.known;
  }
  if (what.kind == event_kind::write) {
    what.released = releases(what.ordering) ? thread.known : thread.released;
    if (what.exclusive) {  // the release sequence of what it has read
      const event& its_read = graph_.thread(id.thread)[id.index - 1U];
      what.released.join(graph_.at(its_read.writer).released);
    }
  }
  what.happens_before = thread.known;
  what.prefix = thread.prefix;
}

void explorer::complete(event& what) {
  keep_place(what);
  learn(self(), what, next_id());
  ++self().done;
  ++events_done_;
  if (what.kind != event_kind::mark) {  // not a mark: threads have to start
    await_growth();
  }
}

// Past the known events even plain accesses wait until schedule has checked those.
void explorer::await_growth() {
  while (!is_growing_ && !graph_.has(next_id())) {
    suspend();
  }
}

void explorer::keep_place(const event& what) {
  if (self().done + 1U == graph_.thread(running_).size() && what.kind != event_kind::construct &&
      what.where.line() != 0) {
    places_.insert(std::string{what.where.file_name()} + ':' + std::to_string(what.where.line()) +
                   ' ' + model::name_of(what.ordering));
  }
}

void explorer::add_plain(event what) {
  if (!await_turn(false)) {
    graph_.append(running_, what);
  }
  complete(known_event(what.kind, what.location));
}

void explorer::check_access(const void* object, std::size_t bytes, memory::access how) {
  if (const char* const wrong = memory_.note(object, bytes, how, running_, self().known)) {
    fail(wrong);
  }
}

std::uint16_t explorer::location_of(const void* object) {
  const std::uint16_t found = memory_.contains(object) ? memory_.location(object) : 0;
  if (found == 0) {
    fail("use of an atomic object that was not constructed");
  }
  return static_cast<std::uint16_t>(found - 1);
}

void explorer::construct(const void* object, std::size_t bytes, word value,
                         std::source_location where) {
  const checker_code scope{*this};
  if (!memory_.contains(object)) {
    fail("an atomic object outside of the scenario's memory");
  }
  check_access(object, bytes, memory::access::write);
  event what{.kind = event_kind::construct, .value = value, .where = where};
  const bool is_known = await_turn(false);
  const event_id id = next_id();
  if (is_known) {
    what.location = graph_.at(id).location;
  } else {
    what.location = graph_.add_location();
    graph_.append(running_, what);
    graph_.place_write(id, 0);
  }
  memory_.location(object) = static_cast<std::uint16_t>(what.location + 1);
  event& done = known_event(event_kind::construct, what.location);
  done.value = value;
  complete(done);
}

// ---- reads ----

word explorer::read(event what, order otherwise, const test_of_value& is_exclusive) {
  what.kind = event_kind::read;
  if (!await_turn(true)) {
    add_read(what);
  }
  event& done = known_event(event_kind::read, what.location);
  done.value = graph_.at(done.writer).value;
  done.exclusive = is_exclusive(done.value);
  done.ordering = done.exclusive ? what.ordering : otherwise;
  const word value = done.value;
  complete(done);
  return value;
}

// The newest write here; the others are explored later.
void explorer::add_read(event what) {
  what.floor.join(self().known);
  const std::vector<event_id>& writes = graph_.writes(what.location);
  for (std::size_t i = graph_.oldest_visible(what.location, what.floor); i + 1 < writes.size();
       ++i) {
    what.writer = writes[i];
    pending_.push_back(graph_);
    pending_.back().append(running_, what);
  }
  what.writer = writes.back();
  graph_.append(running_, what);
}

word explorer::load(const void* object, std::size_t bytes, order ordering,
                    std::source_location where) {
  const checker_code scope{*this};
  check_access(object, bytes, memory::access::atomic_read);
  return read({.ordering = ordering, .location = location_of(object), .where = where}, ordering,
              [](word) { return false; });
}

// ---- writes ----

void explorer::store(const void* object, std::size_t bytes, word value, order ordering,
                     std::source_location where) {
  const checker_code scope{*this};
  check_access(object, bytes, memory::access::atomic_write);
  write({.ordering = ordering, .location = location_of(object), .value = value, .where = where});
}

void explorer::write(event what) {
  what.kind = event_kind::write;
  const bool is_new = !await_turn(false);
  if (is_new) {
    add_write(what);
  }
  const event_id id = next_id();
  event& done = known_event(event_kind::write, what.location);
  done.value = what.value;
  done.ordering = what.ordering;
  complete(done);
  // A read-modify-write has only one position, which need not be the newest.
  if (is_new && !graph_.is_newest(id) && !has_sc_order(graph_)) {
    abandon();
  }
}

// The newest position here; the others, and the reads that may have read it, are explored later.
void explorer::add_write(event what) {
  const event_id id = next_id();
  what.prefix = self().prefix;
  what.prefix.add(id);
  graph_.append(running_, what);
  for (const event_id read : graph_.reads(what.location)) {
    if (!what.prefix.holds(read)) {
      revisit(read, id);
    }
  }
  const auto [first, last] = places_of(graph_, id);
  for (std::size_t i = first; i < last; ++i) {
    if (graph_.may_be_placed(what.location, i)) {
      pending_.push_back(graph_);
      pending_.back().place_write(id, i);
    }
  }
  if (!graph_.may_be_placed(what.location, last)) {
    abandon();  // another read-modify-write has read the same write: see revisit
  }
  graph_.place_write(id, last);
}

// From the first to the last position among the writes that coherence allows.
std::pair<std::size_t, std::size_t> explorer::places_of(const execution_graph& graph,
                                                        event_id write) const {
  const event& what = graph.at(write);
  if (what.exclusive) {
    const event& its_read = graph.thread(write.thread)[write.index - 1U];
    const std::size_t next = graph.position(its_read.writer) + 1;
    return {next, next};
  }
  return {graph.oldest_visible(what.location, self().known) + 1,
          graph.writes(what.location).size()};
}

// TruSt's backward step: `read` reads `write`, and events that were added after it are removed,
// unless `write` needs them. Only if the removed events could be added again in just one way.
void explorer::revisit(event_id read, event_id write) {
  const event& what = graph_.at(write);
  const std::uint32_t limit = graph_.at(read).stamp;
  for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
    for (std::size_t i = what.prefix.of(thread); i < graph_.thread(thread).size(); ++i) {
      const event_id id{static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(i)};
      if (graph_.at(id).stamp >= limit && !is_maximal(id, write)) {
        return;
      }
    }
  }
  const execution_graph base = graph_.revisited(read, write, what.prefix);
  const auto [first, last] = places_of(base, write);
  for (std::size_t i = first; i <= last; ++i) {
    if (base.may_be_placed(what.location, i)) {
      execution_graph other = base;
      other.place_write(write, i);
      if (other.reads_visible(read)) {
        pending_.push_back(std::move(other));
      }
    }
  }
}

// Whether `id`, when it was added, or in the prefix of `write`, was the newest there.
bool explorer::is_maximal(event_id id, event_id write) const {
  const event& what = graph_.at(id);
  const clock& prefix = graph_.at(write).prefix;
  const auto is_previous = [&](event_id other) {
    return graph_.at(other).stamp <= what.stamp || prefix.holds(other);
  };
  if (what.kind == event_kind::choice) {
    return what.value == 0;
  }
  if (!what.is_access()) {
    return true;
  }
  if (what.writes()) {
    for (const event_id reader : graph_.reads(what.location)) {
      if (graph_.at(reader).writer == id && is_previous(reader)) {
        return false;
      }
    }
  }
  const event_id newest = what.writes() ? id : what.writer;
  if (!is_previous(newest)) {
    return false;
  }
  const std::vector<event_id>& writes = graph_.writes(what.location);
  for (std::size_t i = graph_.position(newest) + 1; i < writes.size(); ++i) {
    if (is_previous(writes[i])) {
      return false;
    }
  }
  return true;
}

word explorer::read_modify_write(const void* object, std::size_t bytes, order success,
                                 order failure, const update_function& update,
                                 std::source_location where) {
  const checker_code scope{*this};
  check_access(object, bytes, memory::access::atomic_read);
  event what{.ordering = success, .location = location_of(object), .where = where};
  word next = 0;
  const word old = read(what, failure, [&](word value) { return update(value, next); });
  if (update(old, next)) {
    check_access(object, bytes, memory::access::atomic_write);
    what.exclusive = true;
    what.value = next;
    write(what);
  }
  return old;
}

// ---- neither reads nor writes ----

void explorer::fence(order ordering, std::source_location where) {
  const checker_code scope{*this};
  add_plain({.kind = event_kind::fence, .ordering = ordering, .where = where});
}

word explorer::choose(word count) {
  const checker_code scope{*this};
  if (!await_turn(false)) {
    for (word value = 1; value < count; ++value) {
      pending_.push_back(graph_);
      pending_.back().append(running_, {.kind = event_kind::choice, .value = value});
    }
    graph_.append(running_, {.kind = event_kind::choice});
  }
  event& done = known_event(event_kind::choice, 0);
  complete(done);
  return done.value;
}

void explorer::run_threads(std::vector<std::function<void()>> bodies) {
  std::vector<std::size_t> started;
  started.reserve(bodies.size());
  for (std::function<void()>& body : bodies) {
    started.push_back(start(std::move(body)));
  }
  for (const std::size_t number : started) {
    join(number);
  }
}

std::size_t explorer::start(std::function<void()> body) {
  const checker_code scope{*this};
  auto* const unused = std::ranges::find_if(threads_, [](const thread_state& each) {
    return each.now == status::absent && each.done == 0;
  });
  if (running_ != 0 || unused == threads_.end()) {
    std::fprintf(stderr, "model: at most %zu threads, started by the main one\n", kMaxThreads - 1);
    std::abort();
  }
  add_plain({.kind = event_kind::mark});
  unused->body = std::move(body);
  unused->known = self().known;
  unused->prefix = self().prefix;
  const auto number = static_cast<std::size_t>(unused - threads_.begin());
  start_thread(number);
  await_growth();
  return number;
}

void explorer::join(std::size_t number) {
  const checker_code scope{*this};
  thread_state& other = threads_[number];
  joined_ = number;
  for (self().now = status::joining; other.now != status::ended;) {
    suspend();
  }
  self().now = status::runnable;
  self().known.join(other.known);
  self().prefix.join(other.prefix);
  other.now = status::absent;
  add_plain({.kind = event_kind::mark});
  await_growth();
}

// ---- loops ----

void explorer::begin_loop() noexcept {
  self().turn_begin = self().done;
  self().turns = 0;
}

void explorer::look_again() {
  const checker_code scope{*this};
  thread_state& thread = self();
  const auto begin = graph_.thread(running_).begin() + thread.turn_begin;
  const auto end = graph_.thread(running_).begin() + thread.done;
  const bool did_nothing = std::all_of(begin, end, [](const event& each) {
    return !each.exclusive && (each.kind == event_kind::read || each.kind == event_kind::fence ||
                               each.kind == event_kind::choice);
  });
  const auto is_read = [](const event& each) { return each.kind == event_kind::read; };
  if (did_nothing && std::any_of(begin, end, is_read)) {
    if (std::any_of(begin, end,
                    [&](const event& each) { return is_read(each) && was_old(each); })) {
      ++result_.dropped;
      abandon();
    }
    thread.now = status::blocked;
    suspend();
    std::abort();
  }
  if (thread.turns++ > bound_.turns) {
    thread.now = status::cut;  // the others continue: the turns before may read what they write
    suspend();
    std::abort();
  }
  thread.turn_begin = thread.done;
}

// Whether a newer write existed when the read was added.
bool explorer::was_old(const event& read) const {
  const std::vector<event_id>& writes = graph_.writes(read.location);
  return std::any_of(writes.begin() + static_cast<std::ptrdiff_t>(graph_.position(read.writer)) + 1,
                     writes.end(),
                     [&](event_id newer) { return graph_.at(newer).stamp < read.stamp; });
}

// ---- the system's sleep ----

// The sleepers on a word are a queue with a lock (futex(2)): here one more location, which both sides
// read and write. So either a notification finds the sleeper, or the sleeper finds the value that was
// stored before the notification. It orders nothing else.
namespace {
namespace sleepers {

// A bit for each thread, of three kinds: in the queue; woken; woken by a notification of one.
constexpr std::size_t kThreads = 16;
constexpr word kEach = (word{1} << kThreads) - 1;

word queued(std::size_t thread) { return word{1} << thread; }
word woken(word queued) { return queued << kThreads; }
word alone(word queued) { return queued << (2 * kThreads); }

// Of several the thread with the lowest number.
word wake_one_of(word queue) {
  const word all = queue & kEach;
  const word first = all & (~all + 1);
  return (queue & ~first) | woken(first) | alone(first);
}

}  // namespace sleepers
}  // namespace

void explorer::wait(const void* object, std::size_t bytes, word old, order ordering,
                    std::source_location where) {
  const checker_code scope{*this};
  const word own = sleepers::queued(running_);
  const word all_of_own = own | sleepers::woken(own) | sleepers::alone(own);
  const event what = queue_of(object, where);
  for (;;) {
    change_queue(what, [&](word queue) { return (queue & ~all_of_own) | own; });
    check_access(object, bytes, memory::access::atomic_read);
    event look{.ordering = ordering, .location = location_of(object), .where = where};
    look.floor = graph_.thread(running_)[self().done - 1U].released;
    if (read(look, ordering, [](word) { return false; }) != old) {
      // It was never in the system's queue: a notification of one has found another one there.
      change_queue(what, [&](word queue) {
        const word others = queue & ~all_of_own;
        return (queue & sleepers::alone(own)) != 0 ? sleepers::wake_one_of(others) : others;
      });
      return;
    }
    begin_loop();
    while ((read(what, order::relaxed, [](word) { return false; }) & sleepers::woken(own)) == 0) {
      look_again();
    }
  }
}

void explorer::notify_all(const void* object, std::source_location where) {
  const checker_code scope{*this};
  change_queue(queue_of(object, where), [](word queue) {
    return (queue & ~sleepers::kEach) | sleepers::woken(queue & sleepers::kEach);
  });
}

void explorer::notify_one(const void* object, std::source_location where) {
  const checker_code scope{*this};
  change_queue(queue_of(object, where), sleepers::wake_one_of);
}

event explorer::queue_of(const void* object, std::source_location where) {
  const void* const queue = static_cast<const std::byte*>(object) + 1;
  return {
      .ordering = order::release, .system = true, .location = location_of(queue), .where = where};
}

template <class Change>
void explorer::change_queue(event what, Change change) {
  const word before = read(what, order::release, [](word) { return true; });
  what.value = change(before);
  what.exclusive = true;
  write(what);
}

void explorer::lock(const void* mutex) {
  const checker_code scope{*this};
  for (begin_loop(); !try_lock(mutex);) {
    look_again();
  }
}

bool explorer::try_lock(const void* mutex) {
  const checker_code scope{*this};
  const auto where = std::source_location::current();
  if (memory_.location(mutex) == 0) {
    construct(mutex, 1, 0, where);
  }
  const auto is_free = [](word value) { return value == 0; };
  event what{.ordering = order::acquire, .location = location_of(mutex), .where = where};
  if (!is_free(read(what, order::relaxed, is_free))) {
    return false;
  }
  what.exclusive = true;
  what.value = 1;
  write(what);
  return true;
}

void explorer::unlock(const void* mutex) {
  const checker_code scope{*this};
  write({.ordering = order::release,
         .location = location_of(mutex),
         .where = std::source_location::current()});
}

// ---- plain memory ----

void explorer::note(const void* address, std::size_t bytes, memory::access how) {
  if (inside_ && memory_.contains(address)) {
    const checker_code scope{*this};
    check_access(address, bytes, how);
  }
}

void explorer::note_read(const void* address, std::size_t bytes) {
  note(address, bytes, memory::access::read);
}

void explorer::note_write(const void* address, std::size_t bytes) {
  note(address, bytes, memory::access::write);
}

void* explorer::allocate(std::size_t bytes, std::size_t alignment) {
  const checker_code scope{*this};
  return memory_.allocate(running_, bytes, alignment);
}

void explorer::free(void* block) {
  const checker_code scope{*this};
  if (const char* const wrong = memory_.free(block, running_, self().known)) {
    fail(wrong);
  }
}

void* explorer::thread_local_of(const void* variable, std::size_t bytes, std::size_t alignment,
                                const void* initial) {
  const checker_code scope{*this};
  void*& copy = self().locals[variable];
  if (copy == nullptr) {
    copy = memory_.allocate_for_good(running_, bytes, alignment);
    initial != nullptr ? std::memcpy(copy, initial, bytes) : std::memset(copy, 0, bytes);
  }
  return copy;
}

// ---- reporting ----

std::string explorer::trace() const {
  std::ostringstream out;
  for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
    for (std::size_t i = 0; i < graph_.thread(thread).size(); ++i) {
      const event& each = graph_.thread(thread)[i];
      if (each.kind == event_kind::mark) {
        continue;
      }
      std::string file = each.where.file_name();
      file = file.substr(file.rfind('/') + 1);
      out << "  thread " << thread << " #" << i << "  " << file << ':' << each.where.line() << "  "
          << name_of(each.kind);
      if (each.kind != event_kind::construct && each.kind != event_kind::choice) {
        out << ' ' << model::name_of(each.ordering);
      }
      if (each.kind != event_kind::fence) {
        out << ' ' << static_cast<std::int64_t>(each.value);
      }
      if (each.is_access()) {
        out << "  object " << each.location;
      }
      if (each.kind == event_kind::read) {
        out << " from " << each.writer.thread << " #" << each.writer.index;
      }
      out << (i >= threads_[thread].done ? "  (not again yet)" : "") << '\n';
    }
  }
  for (std::size_t location = 0; location < graph_.locations(); ++location) {
    if (graph_.writes(location).size() > 2) {
      out << "  object " << location << " was written by";
      for (const event_id write : graph_.writes(location)) {
        out << ' ' << write.thread << " #" << write.index;
      }
      out << '\n';
    }
  }
  return out.str();
}

}  // namespace model

// A trace of what runs where, for Perfetto or chrome://tracing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#elif defined(_WIN32)
#include "finegrain/core/windows_api.hpp"
#endif

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/environment.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/thread/fork.hpp"
#include "finegrain/trace/event_log.hpp"
#include "finegrain/trace/trace_file.hpp"
#include "finegrain/trace/zone.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// A span of time on one thread.
struct trace_event {
  const char* name;     // lives as long as the process
  std::uint64_t begin;  // ticks
  std::uint64_t end;
};

/// One thread's part of the trace. 24 bytes per event, 96 KiB per chunk. It ends at 2^20 events: 24
/// MiB, and some 100 MB in the file.
struct trace_log {
  event_log<trace_event, 4096, 256> events;
  std::uint64_t thread = 0;  // the system's number of the thread
  std::string name;
  trace_log* next = nullptr;  // in the list of logs; written before this one is in it

  /// Adds a span from `begin` until now. Called by the log's own thread.
  void add(const char* what, std::uint64_t begin) noexcept { events.add({what, begin, ticks()}); }
};

/// The trace of this process. There is one if FINEGRAIN_TRACE named a file when the library first
/// asked. It is never destroyed: threads may write to it until the process has ended.
class trace_session {
 public:
  /// Null without a trace, and in a forked child, because the file is the parent's. Any thread.
  static trace_session* current() noexcept {
    static trace_session* const only = start();
    return only != nullptr && only->made_in_.is_of_this_process() ? only : nullptr;
  }

  /// The calling thread's log, made if there is none; null without memory. `name`: the thread's
  /// name, or null for the system's name of it.
  trace_log* log_of_this_thread(const char* name) noexcept {
    constinit static thread_local trace_log* own = nullptr;
    if (own == nullptr) {
      FINEGRAIN_TRY { own = make_log(name); }
      // NOLINTNEXTLINE(bugprone-empty-catch): no trace of this thread
      FINEGRAIN_CATCH(const std::bad_alloc&) {}
    }
    return own;
  }

  /// Writes the events so far. Any thread.
  void write() noexcept {
    const std::lock_guard lock{writing_};
    file_.begin();
    std::uint64_t dropped = 0;
    // Acquire: pairs with the release in make_log.
    for (trace_log* each = logs_.load(memory_order_acquire); each != nullptr; each = each->next) {
      file_.name_thread(process_, each->thread, each->name);
      const std::size_t size = each->events.size();
      for (std::size_t i = 0; i != size; ++i) {
        const trace_event& event = each->events[i];
        const std::uint64_t begin_ns = since_start_ns(event.begin);
        file_.span(event.name, process_, each->thread, begin_ns,
                   since_start_ns(event.end) - begin_ns);
      }
      dropped += each->events.dropped();
    }
    file_.end(dropped);
  }

 private:
  explicit trace_session(const std::string& file) : file_{file} {}

  static trace_session* start() noexcept {
    const char* const pattern = environment_variable("FINEGRAIN_TRACE");
    if (pattern == nullptr || *pattern == '\0') {
      return nullptr;
    }
    FINEGRAIN_TRY {
      auto* const made = new trace_session{trace_file::name_of(pattern, this_process())};
      // At exit, static pools and relics constructed after this are already gone, and threads of
      // the others keep writing: what they have published is read.
      if (made->file_.is_open() && std::atexit([] { write_if_any(); }) == 0) {
        return made;
      }
      delete made;
    }
    // NOLINTNEXTLINE(bugprone-empty-catch): no trace
    FINEGRAIN_CATCH(const std::bad_alloc&) {}
    return nullptr;
  }

  static void write_if_any() noexcept {
    if (trace_session* const session = current()) {
      session->write();
    }
  }

  trace_log* make_log(const char* name) {
    auto* const log = new trace_log;
    log->thread = this_thread();
    log->name = name != nullptr ? name : system_name();
    log->next = logs_.load(memory_order_relaxed);  // the exchange below compares it
    // Release: pairs with the acquire in write.
    while (
        !logs_.compare_exchange_weak(log->next, log, memory_order_release, memory_order_relaxed)) {
    }
    return log;
  }

  [[nodiscard]] std::uint64_t since_start_ns(std::uint64_t then) const noexcept {
    return then < start_ ? 0 : static_cast<std::uint64_t>(to_ns(then - start_));
  }

  static std::uint64_t this_process() noexcept {
#if defined(__unix__) || defined(__APPLE__)
    return static_cast<std::uint64_t>(getpid());
#elif defined(_WIN32)
    return GetCurrentProcessId();
#else
    return 1;
#endif
  }

  static std::uint64_t this_thread() noexcept {
#if defined(__linux__)
    return static_cast<std::uint64_t>(syscall(SYS_gettid));
#elif defined(_WIN32)
    return GetCurrentThreadId();
#else
    constinit static atomic<std::uint64_t> threads{0};
    return threads.fetch_add(1, memory_order_relaxed) + 1;  // a count
#endif
  }

  static std::string system_name() {
#if defined(__linux__)
    char name[16] = "";  // the most that Linux keeps
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
#else
    return "thread";
#endif
  }

  std::uint64_t start_ = ticks();
  std::uint64_t process_ = this_process();
  process_mark made_in_;
  atomic<trace_log*> logs_{nullptr};
  std::mutex writing_;
  trace_file file_;
};

/// True if there is a trace.
inline bool is_traced() noexcept { return trace_session::current() != nullptr; }

/// The calling thread's log, null without a trace. For code that asks once and keeps the answer.
inline trace_log* trace_of_this_thread(const char* name = nullptr) noexcept {
  trace_session* const session = trace_session::current();
  return session != nullptr ? session->log_of_this_thread(name) : nullptr;
}

}  // namespace detail

/// Records a span of the trace, from its construction to its destruction, on the calling thread:
///
///     fg::trace_span span{"parse"};
///
/// Without a trace it costs a check for one, some nanoseconds. Any thread; must end on the thread
/// that made it. Spans of one thread nest.
class trace_span {
 public:
  /// `name` must live as long as the process, like a literal.
  explicit trace_span(const char* name) noexcept
      : trace_span{detail::trace_of_this_thread(), name} {}
  ~trace_span() {
    if (log_ != nullptr) {
      log_->add(name_, begin_);
    }
  }
  trace_span(const trace_span&) = delete;
  trace_span& operator=(const trace_span&) = delete;

  /// Writes to a log that the caller knows, or to none.
  trace_span(detail::trace_log* log, const char* name) noexcept
      : log_{log}, name_{name}, begin_{log != nullptr ? ticks() : 0} {}

 private:
  detail::trace_log* log_;
  const char* name_;
  std::uint64_t begin_;
};

namespace detail {

/// An activity of the library: a trace span if there is a `log`, and a profiler's zone if enabled.
class library_span {
 public:
  library_span(trace_log* log, const span_kind& kind) noexcept
      : zone_{kind}, span_{log, kind.name()} {}

 private:
  FINEGRAIN_NO_UNIQUE_ADDRESS zone zone_;
  trace_span span_;
};

}  // namespace detail

/// Writes what the trace holds so far to its file, which is written again when the process ends.
/// For programs that run long, or end by a signal. Does nothing without a trace. Any thread.
inline void write_trace() noexcept {
  if (detail::trace_session* const session = detail::trace_session::current()) {
    session->write();
  }
}

}  // namespace fg::inline FINEGRAIN_ABI

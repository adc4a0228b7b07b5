// Third-party queues, as Debian packages them, behind one interface. Room for 128 tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/lockfree/spsc_queue.hpp>

#if __has_include(<atomic_queue/atomic_queue.h>)
#include <atomic_queue/atomic_queue.h>
#define FINEGRAIN_BENCH_ATOMIC_QUEUE 1
#endif
#if __has_include(<readerwriterqueue/readerwriterqueue.h>)
#include <readerwriterqueue/readerwriterqueue.h>
#define FINEGRAIN_BENCH_MOODYCAMEL 1
#endif

namespace fg::bench {

/// Boost.Lockfree's ring.
template <class Task>
class boost_spsc {
 public:
  using task = Task;

  bool try_push(const Task& task) { return queue_.push(task); }
  bool try_pop(Task& task) { return queue_.pop(task); }

 private:
  boost::lockfree::spsc_queue<Task, boost::lockfree::capacity<128>> queue_;
};

#ifdef FINEGRAIN_BENCH_ATOMIC_QUEUE
/// Maxim Egorushkin's AtomicQueue2, in its single-producer single-consumer form.
template <class Task>
class atomic_queue_spsc {
 public:
  using task = Task;

  bool try_push(const Task& task) { return queue_.try_push(task); }
  bool try_pop(Task& task) { return queue_.try_pop(task); }

 private:
  static constexpr bool kMinimizeContention = true;
  static constexpr bool kMaximizeThroughput = true;
  static constexpr bool kTotalOrder = false;
  static constexpr bool kSpsc = true;
  atomic_queue::AtomicQueue2<Task, 128, kMinimizeContention, kMaximizeThroughput, kTotalOrder,
                             kSpsc>
      queue_;
};
#endif

#ifdef FINEGRAIN_BENCH_MOODYCAMEL
/// Cameron Desrochers's ReaderWriterQueue, which never allocates in try_enqueue.
template <class Task>
class moodycamel_rw {
 public:
  using task = Task;

  bool try_push(const Task& task) { return queue_.try_enqueue(task); }
  bool try_pop(Task& task) { return queue_.try_dequeue(task); }

 private:
  moodycamel::ReaderWriterQueue<Task> queue_{127};  // room for 127 at least
};
#endif

}  // namespace fg::bench

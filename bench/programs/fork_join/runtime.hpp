// The interface of a runtime's adapter: two branches, one of them a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace fg::bench {

/// The CPUs of a sample: the main thread's, and that of the thread that may take the task.
struct cpu_pair {
  int main = 0;
  int assistant = 1;
};

/// A placeholder for the body of a session in the concept below.
struct session_archetype {
  template <class ForkJoin>
  void operator()(ForkJoin&) const {}
};

/// One runtime of the comparison.
///
/// `session(cpus, body)` starts the runtime with two threads on the two CPUs of `cpus`, calls
/// `body(fork_join)` once on the main thread, and shuts the runtime down. With OpenMP, the parallel
/// region is open while `body` runs.
///
/// `fork_join(task, own)` submits `task` to the runtime, calls `own` on the calling thread, and
/// returns when both have finished (relic-2024, section IV.A: two instances of a kernel). Both are
/// callables without arguments that neither throw nor outlive the call.
///
/// Start a runtime before pinning its main thread: libomp and oneTBB count the CPUs of the thread
/// that starts them, and would silently run serially under a mask of one CPU.
template <class R>
concept fork_join_runtime = requires(cpu_pair cpus, session_archetype body) {
  { R::kName } -> std::convertible_to<std::string_view>;
  { R::version() } -> std::convertible_to<std::string>;
  R::session(cpus, body);
};

}  // namespace fg::bench

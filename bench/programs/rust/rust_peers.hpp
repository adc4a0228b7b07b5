// The runtimes that are Rust crates, as C++ calls them: src/ implements this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fg::bench {

struct loop_work;  // loops/loop_work.hpp

/// A function and what it is called on. It must not throw: exceptions do not cross Rust. `scope` is
/// chili's for the calling thread; rayon, which finds its own, passes none.
struct rust_call {
  void (*run)(const void* context, void* scope);
  const void* context;
};

/// The same with a number: of a task, or of a thread.
struct rust_numbered_call {
  void (*run)(const void* context, std::uint64_t index);
  const void* context;
};

extern "C" {

/// Starts a pool of that many threads, each of which first calls `place` with its number, calls
/// `body` on one of them, and ends the pool; the calling thread only waits. False if the threads
/// cannot be started.
bool fg_rayon_session(std::size_t threads, std::size_t stack_bytes, rust_numbered_call place,
                      rust_call body);
/// Both calls, perhaps at once.
void fg_rayon_join(void* scope, rust_call first, rust_call second);
/// fib(n), and the leaves of a complete tree: a join for each task. Each leaf calls `count`, if
/// there is one.
std::uint64_t fg_rayon_fib(void* scope, std::int32_t n, void (*count)());
std::uint64_t fg_rayon_tree(void* scope, std::uint32_t width, std::uint32_t depth, void (*count)());
/// Spawns the call with each number from `first` to `end` - 1, and waits for all.
void fg_rayon_spawn_each(rust_numbered_call task, std::uint64_t first, std::uint64_t end);
/// Calls it on each thread of the pool with the thread's number, and waits for all.
void fg_rayon_broadcast(rust_numbered_call call);
/// All elements of a loop.
void fg_rayon_loop(const loop_work* work);

/// Starts a pool of that many threads, the calling one among them, calls `started` once they are
/// running, then `body`, and ends the pool.
void fg_chili_session(std::size_t threads, rust_call started, rust_call body);
/// As rayon's.
void fg_chili_join(void* scope, rust_call first, rust_call second);
std::uint64_t fg_chili_fib(void* scope, std::int32_t n, void (*count)());
std::uint64_t fg_chili_tree(void* scope, std::uint32_t width, std::uint32_t depth, void (*count)());

}  // extern "C"

/// A call of `callable(scope)`, which has to outlive it.
template <class Callable>
rust_call rust_call_of(const Callable& callable) {
  return {.run = [](const void* context,
                    void* scope) { (*static_cast<const Callable*>(context))(scope); },
          .context = &callable};
}

/// A call of `callable(index)`, which has to outlive it.
template <class Callable>
rust_numbered_call rust_numbered_call_of(const Callable& callable) {
  return {.run = [](const void* context,
                    std::uint64_t index) { (*static_cast<const Callable*>(context))(index); },
          .context = &callable};
}

}  // namespace fg::bench

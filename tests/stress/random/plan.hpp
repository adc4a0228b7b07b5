// A random program, as data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fg::test {

/// What a program may contain beyond the basic steps. Each can be left out, so that one defect does
/// not hide the others.
enum class feature : std::uint8_t {
  one,        ///< an outside thread waits for what was posted to a pool of one worker
  cross,      ///< runs of pools within each other, in any order, from several threads
  chain,      ///< many calls of `async` that wait, level by level, for a call of their own
  stranger,   ///< a run that ends only after another thread's call or post in that pool has ended
  stranger1,  ///< the same in a pool of one worker
  isolate,    ///< a mutex held around an isolated wait
  hops,       ///< coroutines in flight among the workers when their pool is destroyed
  relic,      ///< relics
  throwing,   ///< exceptions
  cancel,     ///< groups that are cancelled
  policy,     ///< balancing policies other than the default
  block,      ///< threads wait for a mutex as long as it takes; off unless requested
  count
};

inline constexpr std::size_t kFeatures = static_cast<std::size_t>(feature::count);
inline constexpr std::string_view kFeatureNames[kFeatures] = {
    "one",  "cross", "chain",    "stranger", "stranger1", "isolate",
    "hops", "relic", "throwing", "cancel",   "policy",    "block"};

/// A set of features.
class feature_set {
 public:
  /// All but `block`.
  static feature_set usual() {
    feature_set all;
    all.bits_ = (1U << kFeatures) - 1;
    all.remove(feature::block);
    return all;
  }
  [[nodiscard]] bool has(feature which) const { return (bits_ >> index(which) & 1U) != 0; }
  void add(feature which) { bits_ |= 1U << index(which); }
  void remove(feature which) { bits_ &= ~(1U << index(which)); }

 private:
  static unsigned index(feature which) { return static_cast<unsigned>(which); }
  unsigned bits_ = 0;
};

/// The action of a step.
enum class action : std::uint8_t {
  work,       ///< keeps its thread busy for `size` times 100 ns
  fork,       ///< fork_join of two parts
  group,      ///< a task_group of the parts
  loop,       ///< parallel_for of `size` iterations; each of the first ones performs a part
  reduce,     ///< parallel_reduce of `size` iterations
  run,        ///< `run` of a pool: the parts, one after the other
  async,      ///< a call for each part
  post,       ///< the part is posted, at priority `size`; without a waiter unless `awaited`
  coroutine,  ///< moves between pools, leg by leg
  lock,       ///< mutex `size`, held around the part, which is isolated
  relic,      ///< a relic of its own: the parts are submitted, or forked, or iterations
  chain,      ///< `forks` forks deep, `width` calls, each of which descends `size` levels
  own,        ///< makes pool `pool`, performs the parts, and destroys it
  raise,      ///< sets flag `size`
  await       ///< waits until flag `size` is set
};

/// How the iterations of a loop are distributed, and what a relic is used for.
enum class manner : std::uint8_t { lazy, dynamic, fixed };

/// One move of a coroutine.
struct leg {
  unsigned pool = 0;
  bool by_call = false;  ///< awaits a call there, which performs the part; else moves there itself
};

/// A step of a program; performed at most once. Members that its action does not use keep their
/// defaults.
struct step {
  action what = action::work;
  unsigned id = 0;
  unsigned size = 0;
  unsigned width = 0;
  unsigned forks = 0;
  unsigned pool = 0;
  manner how = manner::lazy;
  bool throws = false;             ///< its own exception, at its end
  bool names_pool = false;         ///< fork, loop, reduce: the form that takes `pool`
  bool relays = false;             ///< group: each task spawns the next one; else the owner all
  bool unwaited = false;           ///< group: left to its destructor; async: also the last call
  bool reused = false;             ///< group: waited for twice, the last part after the first wait
  bool cancelled_by_task = false;  ///< group: by the task of part `at`; else after that is spawned
  bool awaited = false;            ///< post, coroutine: the thread waits until it has ended
  bool ranges = false;             ///< loop: the body takes ranges
  bool deterministic = false;      ///< reduce
  std::optional<unsigned>
      at;                 ///< group: cancelled there; loop, relic's loop: iteration that throws
  std::vector<leg> legs;  ///< coroutine: as many as parts
  std::vector<step> parts;
};

/// The parameters of a pool.
struct pool_plan {
  bool own = false;  ///< made and destroyed by a step
  unsigned workers = 1;
  std::string policy;  ///< empty: the default
  unsigned queue_capacity = 0;
  unsigned spin_us = 200;
  unsigned help_stack_kib = 1024;
};

/// The work of one thread of the program.
using script = std::vector<step>;

/// Threads that work concurrently, and are joined.
struct phase {
  std::string title;
  std::vector<script> threads;
};

/// A program: makes its pools except those of steps, runs its phases, destroys the pools, the last
/// one first.
struct program {
  std::uint64_t seed = 0;
  unsigned steps = 0;  ///< their ids are smaller
  unsigned flags = 0;
  unsigned mutexes = 0;
  std::vector<pool_plan> pools;
  std::vector<phase> phases;
};

/// The program of this seed.
program generate(std::uint64_t seed, feature_set features);

/// The program in readable form: one line per step.
std::string show(const program& shown);

}  // namespace fg::test

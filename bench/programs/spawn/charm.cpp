// spawn-charm++: Charm++. Tried with 8.0.1, as its multicore build.
// SPDX-License-Identifier: Apache-2.0
#include <charm++.h>
#include <mpi-interoperate.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"
#include "spawn_charm.decl.h"

#if !CMK_MULTICORE
#error "Charm++ is not built for multicore: its threads have to share the memory of one process"
#endif

// As in the many-tasking paper and Charm++'s own examples (fib, integrate), a task is a chare that
// does its work in its constructor and then deletes itself. No chare waits: a parent that needs
// results stays until they have arrived as messages. The seed balancer decides where a chare is
// created; the default one puts those for this process into a queue that all its threads share.
// Charm++ gives every chare a number, which costs 12 bytes until the process ends.

namespace {

// A copy of something callable with `Arguments`, of a size suitable for a message.
template <class... Arguments>
class held_task {
 public:
  template <class Task>
  explicit held_task(const Task& task) : call_{&call_as<Task>} {
    static_assert(std::is_trivially_copyable_v<Task>);
    static_assert(sizeof(Task) <= kBytes && alignof(Task) <= alignof(void*));
    std::memcpy(task_.data(), &task, sizeof task);
  }
  void operator()(Arguments... arguments) const { call_(task_.data(), arguments...); }

 private:
  static constexpr std::size_t kBytes = 32;  // a tree's node, and its tree

  template <class Task>
  static void call_as(const void* task, Arguments... arguments) {
    (*static_cast<const Task*>(task))(arguments...);
  }

  void (*call_)(const void* task, Arguments... arguments);
  alignas(void*) std::array<std::byte, kBytes> task_;
};

}  // namespace

// ---- the chares, as declared in charm.ci ----

class call_message : public CMessage_call_message {
 public:
  template <class Task>
  explicit call_message(const Task& call) : task{call} {}

  held_task<> task;
};

// A task that calls a function.
class call : public CBase_call {
 public:
  explicit call(call_message* message) {
    message->task();
    delete message;
    delete this;
  }
};

class node_message : public CMessage_node_message {
 public:
  template <class Task>
  node_message(const Task& call, CProxy_node to, std::uint64_t* whole)
      : task{call}, parent{std::move(to)}, sum_of_all{whole} {}

  held_task<node&> task;
  CProxy_node parent;
  std::uint64_t* sum_of_all;  // for the root, which has no parent
};

// A task that adds up its own result and those of the tasks that it spawns.
class node : public CBase_node {
 public:
  explicit node(node_message* message)
      : parent_{message->parent}, sum_of_all_{message->sum_of_all} {
    message->task(*this);
    delete message;
    end_if_whole();
  }

  // Receives the sum of a child.
  void add(std::uint64_t part) {
    sum_ += part;
    --missing_;
    end_if_whole();
  }

  std::uint64_t& sum() { return sum_; }

  template <class Task>
  void spawn(const Task& task) {
    ++missing_;
    auto* const message = new node_message{task, thisProxy, nullptr};
    CkSetQueueing(message, CK_QUEUEING_LIFO);
    CProxy_node::ckNew(message, nullptr);
  }

 private:
  void end_if_whole() {
    if (missing_ > 0) {
      return;
    }
    if (sum_of_all_ != nullptr) {
      *sum_of_all_ = sum_;
    } else {
      parent_.add(sum_);
    }
    delete this;
  }

  CProxy_node parent_;
  std::uint64_t* sum_of_all_;
  std::uint64_t sum_ = 0;
  std::uint32_t missing_ = 0;
};

namespace {

// If the id of the new chare is not requested, Charm++ keeps none.
template <class Task>
void spawn(int queueing, const Task& task) {
  auto* const message = new call_message{task};
  CkSetQueueing(message, queueing);
  CProxy_call::ckNew(message, nullptr);
}

template <class Task>
void spawn_on(std::size_t thread, const Task& task) {
  CProxy_call::ckNew(new call_message{task}, nullptr, static_cast<int>(thread));
}

// Lets the threads run what has been spawned, and returns when nothing is left: by quiescence, as
// the manual recommends, for which Charm++ counts messages anyway. With one message per task to its
// spawner, as in the paper, empty tasks took 225 to 265 and 330 to 360 wall ns on 1 and 2 threads;
// this way 110 to 175 and 185 to 340 (2 vCPUs of a busy Xeon, model 207).
void run_all() {
  CkStartQD(CkCallback{CkCallback::ckExit});
  StartCharmScheduler();
}

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
    spawn(CK_QUEUEING_FIFO, [&job, i] { job.run(i); });
  }
}

// fib as a tree of calls.
template <class Leaf>
struct fib_walk {
  using node = int;
  using result = std::uint64_t;
  static constexpr bool kWaitsAtEveryNode = true;

  int n;

  [[nodiscard]] node root() const { return n; }
  [[nodiscard]] static std::uint32_t children(node at) { return at < 2 ? 0 : 2; }
  [[nodiscard]] static node child(node at, std::uint32_t index) {
    return at - 1 - static_cast<int>(index);
  }
  static void visit(node at, std::uint32_t children, result& sum) {
    if (children == 0) {
      sum += Leaf::value(at);
    }
  }
};

// Continues from a node with its first child, and so on down to a leaf; the others are spawned, and
// the newest is taken first: otherwise a whole level of the tree would exist at once.
template <fg::bench::tree_walk Walk, class Sum, class Spawn>
void descend(const Walk& walk, typename Walk::node at, const Sum& sum, const Spawn& spawn_child) {
  for (;;) {
    const std::uint32_t children = walk.children(at);
    walk.visit(at, children, sum());
    if (children == 0) {
      return;
    }
    for (std::uint32_t index = 1; index < children; ++index) {
      spawn_child(walk.child(at, index));
    }
    at = walk.child(at, 0);
  }
}

// The sums come back as messages: one wait per chare, for everything that its descent has spawned.
template <fg::bench::tree_walk Walk>
struct joined_task {
  const Walk* walk;
  typename Walk::node at;

  void operator()(node& self) const {
    descend(
        *walk, at, [&self]() -> std::uint64_t& { return self.sum(); },
        [&](const typename Walk::node& child) { self.spawn(joined_task{walk, child}); });
  }
};

template <fg::bench::tree_walk Walk>
std::uint64_t joined_sum(const Walk& walk) {
  std::uint64_t sum = 0;
  CProxy_node::ckNew(new node_message{joined_task<Walk>{&walk, walk.root()}, CProxy_node{}, &sum},
                     nullptr, 0);
  run_all();
  return sum;
}

// Nothing comes back: each thread adds to a sum of its own.
template <fg::bench::tree_walk Walk>
struct free_task {
  const Walk* walk;
  typename Walk::node at;

  void operator()() const {
    descend(
        *walk, at, []() -> auto& { return fg::bench::thread_sums<Walk>::own(); },
        [&](const typename Walk::node& child) { spawn(CK_QUEUEING_LIFO, free_task{walk, child}); });
  }
};

void spawn_from(const fg::bench::tile_job& job, fg::bench::tile_graph& graph, std::uint32_t task) {
  spawn(CK_QUEUEING_LIFO, [&job, &graph, task] {
    fg::bench::run_from(job, graph, task,
                        [&](std::uint32_t ready) { spawn_from(job, graph, ready); });
  });
}

struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    return joined_sum(fib_walk<Leaf>{n});
  }
  static void flat(const fg::bench::flat_job& job) {
    for (std::size_t producer = 0; producer < job.producers; ++producer) {
      spawn_on(producer, [&job, producer] { produce(job, producer); });
    }
    run_all();
  }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    if constexpr (Walk::kWaitsAtEveryNode) {
      return joined_sum(tree);
    } else {
      return fg::bench::summed<Walk>([&tree] {
        spawn_on(0, free_task<Walk>{&tree, tree.root()});
        run_all();
      });
    }
  }
  // A threaded entry method could wait, on a stack of its own: a coroutine per task.
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& /*root*/) {
    throw std::runtime_error("Charm++'s chares do not wait for the tasks that they spawn");
  }
  static void run(const fg::bench::tile_job& job) {
    fg::bench::tile_graph graph{job.program};
    for (const std::uint32_t task : graph.first()) {
      spawn_from(job, graph, task);
    }
    run_all();
  }
};

void start(std::size_t threads) {
  static std::string name = "spawn-charm++";
  static std::string count = "+p" + std::to_string(threads);
  static std::string quiet = "++quiet";
  static std::string unchecked = "+skip_cpu_topology";  // otherwise it limits threads to CPUs
  static std::array<char*, 5> arguments{name.data(), count.data(), quiet.data(), unchecked.data(),
                                        nullptr};
  CharmInit(static_cast<int>(arguments.size()) - 1, arguments.data());
}

// A failed pin shows in the sample, which reports where the threads ran.
void place_threads(const std::vector<int>& cpus) {
  for (std::size_t thread = 0; thread < cpus.size(); ++thread) {
    spawn_on(thread, [cpu = cpus[thread]] { static_cast<void>(fg::pin_this_thread(cpu)); });
  }
  run_all();
}

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  start(setup.cpus.size());
  if (setup.tied) {
    place_threads(setup.cpus);
  }
  fg::bench::plain_runner runner{forms{}};
  body(runner);
}

std::string version() {
  return "Charm++ " + std::to_string(CHARM_VERSION_MAJOR) + "." +
         std::to_string(CHARM_VERSION_MINOR) + "." + std::to_string(CHARM_VERSION_PATCH);
}

}  // namespace

#include "spawn_charm.def.h"

// Neither CharmLibExit, which ends the process as a success whatever the status is, nor exit, on
// which Charm++ aborts.
int main(int argc, char** argv) {
  const int status = fg::bench::spawn_main(
      {.name = "charm++", .version = version(), .policies = {}, .session = session}, argc, argv);
  std::fflush(nullptr);
  std::_Exit(status);
}

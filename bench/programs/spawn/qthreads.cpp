// spawn-qthreads: Sandia's Qthreads. Tried with 1.23 under its schedulers Sherwood, which steals,
// and Nemesis, the default, which distributes tasks and does not steal.
// SPDX-License-Identifier: Apache-2.0
#include <qthread/qthread.h>
#include <qthread/sinc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace {

void require(int status, const char* what) {
  if (status != QTHREAD_SUCCESS) {
    throw std::runtime_error(std::string{what} + " failed: " + std::to_string(status));
  }
}

// A sinc that waits for spawned calls.
class open_calls {
 public:
  explicit open_calls(std::size_t count) { qt_sinc_init(&sinc_, 0, nullptr, nullptr, count); }
  ~open_calls() { qt_sinc_fini(&sinc_); }
  open_calls(const open_calls&) = delete;
  open_calls& operator=(const open_calls&) = delete;

  void expect(std::size_t more) { qt_sinc_expect(&sinc_, more); }
  void end_one() { qt_sinc_submit(&sinc_, nullptr); }
  void wait() { qt_sinc_wait(&sinc_, nullptr); }
  void begin_again(std::size_t count) { qt_sinc_reset(&sinc_, count); }

  // Calls a copy of `task`, without a stack of its own: it must not wait.
  template <class Task>
  void spawn_simple(const Task& task) {
    spawn(task, QTHREAD_SPAWN_SIMPLE);
  }
  // The same of any task.
  template <class Task>
  void spawn(const Task& task, unsigned features = 0) {
    require(qthread_spawn(&call<Task>, &task, sizeof task, &sinc_, 0, nullptr, NO_SHEPHERD,
                          features | QTHREAD_SPAWN_RET_SINC_VOID),
            "qthread_spawn");
  }

 private:
  template <class Task>
  static aligned_t call(void* task) {
    (*static_cast<const Task*>(task))();
    return 0;
  }

  qt_sinc_t sinc_;
};

template <class Leaf>
std::uint64_t forked_fib(int n);

template <class Leaf>
aligned_t fib_task(void* n) {
  return forked_fib<Leaf>(*static_cast<const int*>(n));
}

// The result is the word that the task fills at its end: 460 and 370-790 wall ns per spawn on 1 and
// 2 threads, 510 and 440-920 with a sinc, 1180 and 670-1180 with a syncvar (2 vCPUs of a busy Xeon,
// model 207, Qthreads 1.23 with its Sherwood scheduler, hwloc).
template <class Leaf>
std::uint64_t forked_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  aligned_t forked = 0;
  const int smaller = n - 2;
  require(qthread_fork_copyargs(&fib_task<Leaf>, &smaller, sizeof smaller, &forked),
          "qthread_fork_copyargs");
  const std::uint64_t own = forked_fib<Leaf>(n - 1);
  require(qthread_readFF(nullptr, &forked), "qthread_readFF");
  return own + forked;
}

struct flat_task {
  const fg::bench::flat_job* job;
  std::uint64_t index;
  void operator()() const { job->run(index); }
};

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  const std::uint64_t end = job.end_of(producer);
  const std::uint64_t first = job.first_of(producer);
  open_calls calls{end - first};
  for (std::uint64_t i = first; i < end; ++i) {
    calls.spawn_simple(flat_task{&job, i});
  }
  calls.wait();
}

struct producer_task {
  const fg::bench::flat_job* job;
  fg::bench::start_gate* gate;
  std::size_t producer;
  void operator()() const {
    gate->arrive_and_wait();
    produce(*job, producer);
  }
};

void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  open_calls others{job.producers - 1};
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
    others.spawn(producer_task{&job, &gate, producer});
  }
  gate.arrive_and_wait();
  produce(job, 0);
  others.wait();
}

// A wait per node, in which the first child is called.
template <fg::bench::tree_walk Walk>
void waiting_walk(const Walk& walk, const typename Walk::node& at);

template <fg::bench::tree_walk Walk>
struct waiting_child {
  const Walk* walk;
  const typename Walk::node* parent;
  std::uint32_t index;
  void operator()() const { waiting_walk(*walk, walk->child(*parent, index)); }
};

template <fg::bench::tree_walk Walk>
void waiting_walk(const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  fg::bench::visit_in_call(walk, at, children);
  if (children == 0) {
    return;
  }
  open_calls calls{children - 1};
  for (std::uint32_t index = 1; index < children; ++index) {
    calls.spawn(waiting_child<Walk>{&walk, &at, index});
  }
  waiting_walk(walk, walk.child(at, 0));
  calls.wait();
}

// One wait for all. A node continues with its first child, so that no task needs a stack of its
// own, however deep the tree is.
template <fg::bench::tree_walk Walk>
struct node_task {
  open_calls* calls;
  const Walk* walk;
  typename Walk::node at;

  void operator()() const {
    typename Walk::node here = at;
    for (;;) {
      const std::uint32_t children = walk->children(here);
      fg::bench::visit_in_call(*walk, here, children);
      if (children == 0) {
        return;
      }
      if (children > 1) {
        calls->expect(children - 1);
      }
      for (std::uint32_t index = 1; index < children; ++index) {
        calls->spawn_simple(node_task{calls, walk, walk->child(here, index)});
      }
      here = walk->child(here, 0);
    }
  }
};

template <fg::bench::tree_walk Walk>
void run_walk(const Walk& walk) {
  if constexpr (Walk::kWaitsAtEveryNode) {
    waiting_walk(walk, walk.root());
  } else {
    open_calls calls{1};
    calls.spawn_simple(node_task<Walk>{&calls, &walk, walk.root()});
    calls.wait();
  }
}

// One sinc per group, which also counts the spawning task until it waits: so it does not complete
// before all are spawned.
struct qthreads_tasks {
  class group {
   public:
    explicit group(qthreads_tasks /*tasks*/) {}

    template <class Task>
    void spawn(Task task) {
      const auto call = [task] { task(qthreads_tasks{}); };
      static_assert(std::is_trivially_copyable_v<decltype(call)>);
      calls_.expect(1);
      calls_.spawn(call);
    }
    void wait() {
      calls_.end_one();
      calls_.wait();
      calls_.begin_again(1);
    }

   private:
    open_calls calls_{1};
  };
};

struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    return forked_fib<Leaf>(n);
  }
  static void flat(const fg::bench::flat_job& job) { run_flat(job); }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    return fg::bench::summed<Walk>([&tree] { run_walk(tree); });
  }
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& root) {
    root(qthreads_tasks{});
  }
  static void run(const fg::bench::tile_job& job) { fg::bench::tile_run{job, qthreads_tasks{}}(); }
};

// Pins the worker of its shepherd to a CPU. No call returns before all have started, so that each
// is on a thread of its own. A failed pin shows in the sample.
struct place_task {
  fg::bench::start_gate* gate;
  int cpu;
  void operator()() const {
    static_cast<void>(fg::pin_this_thread(cpu));
    gate->arrive_and_wait();
  }
};

aligned_t place(void* task) {
  (*static_cast<const place_task*>(task))();
  return 0;
}

void place_workers(const std::vector<int>& cpus) {
  fg::bench::start_gate gate{cpus.size()};
  std::vector<place_task> tasks;
  tasks.reserve(cpus.size());
  std::vector<aligned_t> ends(cpus.size());
  for (const int cpu : cpus) {
    tasks.push_back({&gate, cpu});
  }
  for (std::size_t each = 1; each < cpus.size(); ++each) {
    require(qthread_fork_to(&place, &tasks[each], &ends[each],
                            static_cast<qthread_shepherd_id_t>(each)),
            "qthread_fork_to");
  }
  tasks[0]();
  for (std::size_t each = 1; each < cpus.size(); ++each) {
    require(qthread_readFF(nullptr, &ends[each]), "qthread_readFF");
  }
}

// One shepherd per thread; the first is the calling thread.
void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  const std::size_t threads = setup.cpus.size();
  setenv("QT_NUM_SHEPHERDS", std::to_string(threads).c_str(), 1);
  setenv("QT_NUM_WORKERS_PER_SHEPHERD", "1", 1);
  setenv("QT_AFFINITY", "no", 1);  // place_workers pins them
  require(qthread_initialize(), "qthread_initialize");
  if (qthread_num_workers() != threads) {
    throw std::runtime_error("Qthreads started " + std::to_string(qthread_num_workers()) +
                             " workers, not " + std::to_string(threads));
  }
  if (setup.tied) {
    place_workers(setup.cpus);
  }
  {
    fg::bench::plain_runner runner{forms{}};
    body(runner);
  }
  qthread_finalize();
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "qthreads",
                                .version = "Qthreads " QTHREAD_VERSION,
                                .policies = {},
                                .session = session},
                               argc, argv);
}

// oneAPI Threading Building Blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <string>

#include "finegrain/host/affinity.hpp"
#include "programs/fork_join/runtime.hpp"

namespace fg::bench {

/// `task_group::run` and `wait` (relic-2024, section III) in an arena of two threads.
struct onetbb_runtime {
  static constexpr const char* kName = "onetbb";
  static std::string version() { return std::string{"oneTBB "} + TBB_runtime_version(); }

  struct fork_join {
    tbb::task_group group;

    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) {
      group.run([&task] { task(); });
      own();
      static_cast<void>(group.wait());
    }
  };

  template <class Body>
  static void session(cpu_pair cpus, Body&& body) {
    const tbb::global_control two_threads{tbb::global_control::max_allowed_parallelism, 2};
    tbb::task_arena arena{2, 1};
    arena.initialize();
    const place_threads placement{arena, cpus};
    arena.execute([&body] {
      fork_join pair;
      body(pair);
    });
  }

 private:
  // Pins every thread that enters the arena to its CPU. A failed pin shows in the sample, which
  // reports where the threads ran.
  class place_threads : public tbb::task_scheduler_observer {
   public:
    place_threads(tbb::task_arena& arena, cpu_pair cpus)
        : task_scheduler_observer{arena}, cpus_{cpus} {
      observe(true);
    }
    ~place_threads() override { observe(false); }
    place_threads(const place_threads&) = delete;
    place_threads& operator=(const place_threads&) = delete;

    void on_scheduler_entry(bool is_worker) override {
      static_cast<void>(pin_this_thread(is_worker ? cpus_.assistant : cpus_.main));
    }

   private:
    cpu_pair cpus_;
  };
};
static_assert(fork_join_runtime<onetbb_runtime>);

}  // namespace fg::bench

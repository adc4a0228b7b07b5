// The barrier of a team (omp/team.hpp), and its threads that sleep meanwhile, under the shipped
// scheduler.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "checker/protocol.hpp"
#include "omp/region.hpp"
#include "scheduler.hpp"

namespace {

constexpr bool kRecalls = true;

// Each thread writes before each barrier and reads after it what the others have written. The next
// barrier may begin before a thread has seen the end of the previous one.
template <std::size_t Threads, int Barriers>
void meet() {
  model::omp::region<Threads> all{!kRecalls};
  int written[Threads]{};
  const auto part = [&](std::size_t number) {
    for (int i = 0; i < Barriers; ++i) {
      written[(number + static_cast<std::size_t>(i)) % Threads] = i + 1;
      fg::omp::barrier(all.self());
      for (const int each : written) {
        model::require(each == i + 1, "what was written before the barrier is seen after it");
      }
      if (i + 1 < Barriers) {
        fg::omp::barrier(all.self());
      }
    }
  };
  if constexpr (Threads == 2) {
    model::run_threads([&] { part(0); }, [&] { part(1); });
  } else {
    model::run_threads([&] { part(0); }, [&] { part(1); }, [&] { part(2); });
  }
}

void twice() {
  fg::sleeps_left = {};
  meet<2, 2>();
}
void three() {
  fg::sleeps_left = {};
  meet<3, 1>();
}
void asleep() {
  fg::sleeps_left = {0, 1, 1};
  meet<2, 1>();
}
void asleep_without_membarrier() {
  fg::detail::asymmetric_fence::is_available = false;
  fg::sleeps_left = {0, 1, 1};
  meet<2, 1>();
  fg::detail::asymmetric_fence::is_available = true;
}
// A task of one thread runs on either; both leave only after it has finished.
void with_a_task() {
  fg::sleeps_left = {};
  model::omp::region<2> all{!kRecalls};
  int ran = 0;
  const auto body = [&] { ++ran; };
  model::run_threads(
      [&] {
        fg::omp::thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, body));
        fg::omp::barrier(self);
        model::require(ran == 1, "the task is done after the barrier");
      },
      [&] {
        fg::omp::barrier(all.self());
        model::require(ran == 1, "the task is done after the barrier");
      });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "barrier of a team (omp)",
      {{"2 threads, 3 times", "all is seen after it", twice, {.turns = 8}},
       {"3 threads", "all is seen after it", three},
       {"2 threads that sleep", "all is seen after it, all wake up", asleep},
       {"the same without membarrier", "all is seen after it, all wake up",
        asleep_without_membarrier},
       {"2 threads and a task",
        "it is done and seen after the barrier",
        with_a_task,
        {.turns = 8}}},
      argc, argv);
}

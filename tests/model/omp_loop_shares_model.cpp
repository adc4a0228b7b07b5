// Loops whose chunks the threads of a region steal from each other (omp/runtime/loop_share.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "checker/protocol.hpp"
#include "runtime/loop_share.hpp"

namespace {

using fg::omp::runtime::loop_share;
using fg::omp::runtime::loop_units;
using fg::omp::runtime::take_or_steal;

constexpr loop_share::loop_number kBefore = 0xffff;  // so that numbers of loops wrap around

// Threads, the loops that they share one after another without a barrier, and what each loop has
// begun. `parts`: how many units each thread begins with, of the first loop and of the others.
template <std::uint32_t Threads, std::uint32_t Loops>
struct region {
  std::array<std::uint32_t, Threads> parts[2];
  std::array<loop_share, Threads> shares;
  std::array<std::array<fg::atomic<int>, 4>, Loops> begun{};

  using part_sizes = std::array<std::uint32_t, Threads>;

  explicit region(part_sizes its) : region{its, its} {}
  region(part_sizes its, part_sizes later) : parts{its, later} {
    for (loop_share& each : shares) {
      each.reset(kBefore);
    }
  }

  [[nodiscard]] loop_units first_of(std::uint32_t which, std::uint32_t thread) const {
    loop_units first;
    for (std::uint32_t i = 0; i <= thread; ++i) {
      first = {first.end, first.end + parts[which == 0 ? 0 : 1][i]};
    }
    return first;
  }

  // A thread's part of a loop. `leaves`: it takes one unit only, as in a loop that is cancelled.
  void run(std::uint32_t own, std::uint32_t which, bool leaves = false) {
    const auto loop = static_cast<loop_share::loop_number>(kBefore + 1 + which);
    shares[own].enter(loop, first_of(which, own));
    for (;;) {
      const loop_units taken =
          take_or_steal(shares.data(), loop, own, Threads,
                        [&](std::uint32_t thread) { return first_of(which, thread); });
      if (taken.empty()) {
        return;
      }
      for (std::uint32_t unit = taken.begin; unit != taken.end; ++unit) {
        model::require(begun[which][unit].fetch_add(1, fg::memory_order_relaxed) == 0,
                       "no unit is begun twice");
      }
      if (leaves) {
        return;
      }
    }
  }
  void run_all(std::uint32_t own) {
    for (std::uint32_t which = 0; which < Loops; ++which) {
      run(own, which);
    }
  }

  void require_each_once(std::uint32_t which) const {
    const std::uint32_t units = first_of(which, Threads - 1).end;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      model::require(begun[which][unit].load(fg::memory_order_relaxed) == 1,
                     "each unit is begun once");
    }
  }
};

template <std::uint32_t Loops, std::uint32_t First, std::uint32_t Second>
void two_threads() {
  region<2, Loops> all{{First, Second}};
  model::run_threads([&] { all.run_all(0); }, [&] { all.run_all(1); });
  for (std::uint32_t which = 0; which < Loops; ++which) {
    all.require_each_once(which);
  }
}

void three_threads() {
  region<3, 1> all{{2, 1, 0}};
  model::run_threads([&] { all.run_all(0); }, [&] { all.run_all(1); }, [&] { all.run_all(2); });
  all.require_each_once(0);
}

// A thread is in the second loop before another one has come to it, and a third one is in the first.
void one_behind() {
  region<3, 2> all{{1, 0, 0}};
  model::run_threads([&] { all.run_all(0); }, [&] { all.run(1, 0); }, [&] { all.run(2, 1); });
  all.require_each_once(0);
  all.require_each_once(1);
}

// A thread has stolen two units when its share has gone on to the second loop, which the other has
// begun.
void share_goes_on() {
  region<2, 2> all{{3, 1}, {0, 1}};
  model::run_threads([&] { all.run_all(0); }, [&] { all.run_all(1); });
  all.require_each_once(0);
  all.require_each_once(1);
}

// A thread leaves the first loop while its share has units; the second loop is whole again.
void left_early() {
  region<2, 2> all{{2, 1}};
  model::run_threads(
      [&] {
        all.run(0, 0, true);
        all.run(0, 1);
      },
      [&] {
        all.run(1, 0, true);
        all.run(1, 1);
      });
  all.require_each_once(1);
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "loops with shares that threads steal from (omp)",
      {{"a loop of 1 and 1 units", "each unit once", two_threads<1, 1, 1>, {}},
       {"a loop of 3 and 0 units", "each unit once", two_threads<1, 3, 0>, {}},
       {"a loop of 2 and 2 units", "each unit once", two_threads<1, 2, 2>, {}},
       {"2 loops of 1 and 1 units", "each unit once", two_threads<2, 1, 1>, {}},
       {"2 loops of 2 and 1 units", "each unit once", two_threads<2, 2, 1>, {}},
       {"3 loops of 1 and 0 units", "each unit once", two_threads<3, 1, 0>, {}},
       {"a loop of 2, 1 and 0 units", "each unit once", three_threads, {}},
       {"2 loops, threads in one or both", "each unit once", one_behind, {}},
       {"a loop of 3 and 1 units, one of 0 and 1", "each unit once", share_goes_on, {}},
       {"a loop left early, and another one", "each unit of that one once", left_early, {}}},
      argc, argv);
}

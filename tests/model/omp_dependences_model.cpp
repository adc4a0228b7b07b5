// Tasks that wait for others (omp/dependences.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "dependences.hpp"

namespace {

using fg::omp::access;
using fg::omp::dependence;
using fg::omp::dependence_node;
using fg::omp::dependence_table;

constexpr std::uintptr_t kLocation = 1;
constexpr std::array<dependence, 1> kReads{{{kLocation, access::in}}};
constexpr std::array<dependence, 1> kWrites{{{kLocation, access::inout}}};

// A node, and the work of its task: it needs what its predecessors have written.
struct step {
  int ran = 0;
  dependence_node& node =
      *new dependence_node{nullptr, [](dependence_node& unused) noexcept { delete &unused; }};
};

// Ends a task, as finish_details does.
template <class RunIf>
void end(step& self, RunIf run_if) {
  ++self.ran;
  self.node.finish([&](dependence_node& next) {
    run_if(next.unblock());
    next.release();
  });
  self.node.release();
}

// The successor is linked while its predecessor ends: the thread that removes the last blocker runs
// it.
void linked_at_the_end() {
  step first;
  step second;
  {
    dependence_table table;
    table.link(first.node, kWrites);
    static_cast<void>(first.node.end_linking());
    static_cast<void>(first.node.is_finished());  // takes the lock once
    const auto run_second = [&](bool is_ready) {
      if (is_ready) {
        model::require(first.ran == 1, "it runs after the first, and sees it");
        end(second, [](bool /*is_ready*/) {});
      }
    };
    model::run_threads(
        [&] {
          table.link(second.node, kWrites);
          run_second(second.node.end_linking());
        },
        [&] { end(first, run_second); });
  }
  model::require(second.ran == 1, "it is run once");
}

// Two predecessors end at once, while the successor is linked.
void two_predecessors() {
  step first;
  step second;
  step last;
  {
    dependence_table table;
    for (step* const each : {&first, &second}) {
      table.link(each->node, kReads);
      static_cast<void>(each->node.end_linking());
      static_cast<void>(each->node.is_finished());  // takes the lock once
    }
    const auto run_last = [&](bool is_ready) {
      if (is_ready) {
        model::require(first.ran == 1 && second.ran == 1, "it runs after both, and sees them");
        end(last, [](bool /*is_ready*/) {});
      }
    };
    model::run_threads(
        [&] {
          table.link(last.node, kWrites);
          run_last(last.node.end_linking());
        },
        [&] { end(first, run_last); }, [&] { end(second, run_last); });
  }
  model::require(last.ran == 1, "it is run once");
}

// A taskwait with a depend clause checks its node itself.
void looked_at() {
  step first;
  step wait;
  {
    dependence_table table;
    table.link(first.node, kWrites);
    static_cast<void>(first.node.end_linking());
    static_cast<void>(first.node.is_finished());  // takes the lock once
    model::run_threads(
        [&] {
          table.wait_for_predecessors(wait.node, kReads);
          static_cast<void>(wait.node.end_linking());
          model::await([&] { return !wait.node.is_blocked(); });
          model::require(first.ran == 1, "it sees what it has waited for");
          wait.node.release();
        },
        [&] { end(first, [](bool /*is_ready*/) {}); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "dependences (omp)",
      {{"linked while its predecessor ends", "each runs once, in order, freed once",
        linked_at_the_end},
       {"2 predecessors, 3 threads", "run once, after both, freed once", two_predecessors},
       {"a node without a task", "its effects are seen, freed once", looked_at}},
      argc, argv);
}

// Tasks that their maker takes back from other threads' queues (omp/recall.hpp), under the shipped
// scheduler.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "omp/region.hpp"
#include "recall.hpp"
#include "scheduler.hpp"

namespace {

using fg::omp::task;
using fg::omp::thread;
using region = model::omp::region<2>;

constexpr bool kRecalls = true;
constexpr model::explorer::limits kLoops{.turns = 6};

// Claimed once, freed once: by its maker from the list, or by the other thread from the queue; the
// thread that finds it in the other of the two drops that reference.
void taskwait() {
  region all{kRecalls};
  int ran = 0;
  const auto body = [&] { ++ran; };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, body));
        fg::omp::wait_for_children(self);
        model::require(ran == 1, "a task is run once, and seen by whoever waits for it");
        fg::omp::end_part(self);
      },
      [&] { all.help_once(); });
}

// More than its queue has room for: the last one runs at once, and is not listed.
void no_room() {
  region all{kRecalls};
  std::array<int, model::omp::bag::kRoom + 1> ran{};
  auto bodies = [&]<std::size_t... Number>(std::index_sequence<Number...>) {
    return std::tuple{[&ran] { ++ran[Number]; }...};
  }(std::make_index_sequence<ran.size()>{});
  model::run_threads(
      [&] {
        thread& self = all.self();
        std::apply(
            [&](auto&... body) { (fg::omp::submit(self, model::omp::make_task(self, body)), ...); },
            bodies);
        fg::omp::end_part(self);
        for (const int times : ran) {
          model::require(times == 1, "a task is run once, and seen by whoever waits for it");
        }
      },
      [&] { all.help_once(); });
}

// The other thread waits for children of its own, so the task must not run there: it claims the
// task, gives up the claim, and sets the task aside.
void claim_given_up() {
  region all{kRecalls};
  int ran = 0;
  const auto body = [&] { ++ran; };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, body));
        fg::omp::end_part(self);
        model::require(ran == 1, "a task is run once, and seen by whoever waits for it");
      },
      [&] {
        thread& self = all.self();
        auto* const found = static_cast<task*>(all.team().policy().pop(1));
        if (found != nullptr && fg::omp::recall::claim_queued(self, *found)) {
          fg::omp::recall::unclaim(*found);
          all.team().set_aside().put(*found);
          all.team().tell_all();
        }
      });
}

// The maker drops what the other thread has begun.
void swept() {
  region all{kRecalls};
  int ran = 0;
  const auto body = [&] { ++ran; };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, body));
        fg::omp::recall::sweep(self);
        fg::omp::end_part(self);
        model::require(ran == 1, "a task is run once, and seen by whoever waits for it");
      },
      [&] { all.help_once(); });
}

// A task that makes another one and does not wait for it: it stays until that has finished, too, on
// any thread.
void grandchild() {
  region all{kRecalls};
  int ran = 0;
  const auto inner = [&] { ++ran; };
  const auto outer = [&] {
    thread& self = all.self();
    fg::omp::submit(self, model::omp::make_task(self, inner));
  };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, outer));
        fg::omp::end_part(self);
        model::require(ran == 1, "a task is run once, and seen by whoever waits for it");
      },
      [&] {
        all.help_once();
        fg::omp::recall::forget(all.self());
      });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "recall (omp): 2 threads",
      {{"a task is waited for", "run once, freed once, its effects seen", taskwait},
       {"more tasks than room", "run once, freed once, its effects seen", no_room, kLoops},
       {"a claim is given up", "run once, freed once, its effects seen", claim_given_up},
       {"the list is swept", "run once, freed once, its effects seen", swept},
       {"a task that does not wait for its child", "run once, freed once, its effects seen",
        grandchild, kLoops}},
      argc, argv);
}

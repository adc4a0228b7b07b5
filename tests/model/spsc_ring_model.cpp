// A queue between two threads (queue/spsc_ring.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/queue/spsc_ring.hpp"

namespace {

using ring_type = fg::detail::spsc_ring<int*>;

void push(ring_type& ring, int& item, int value) {
  item = value;
  model::await([&] { return ring.try_push(&item); });
}

void pop(ring_type& ring, int value) {
  int* item = nullptr;
  model::await([&] { return ring.try_pop(item); });
  model::require(*item == value, "first in, first out");
}

// More items than slots: each slot is used twice and each side's copy of the other's position
// becomes outdated twice.
void through_two_slots() {
  ring_type ring{2};
  int items[4]{};
  model::run_threads(
      [&] {
        for (int i = 0; i < 4; ++i) {
          push(ring, items[i], i);
        }
      },
      [&] {
        for (int i = 0; i < 4; ++i) {
          pop(ring, i);
        }
      });
}

// The answers of `has_room` and `size_guess` hold for the side that asks.
void promises() {
  ring_type ring{1};
  int items[2]{};
  model::run_threads(
      [&] {
        for (int& item : items) {
          model::await([&] { return ring.has_room(); });
          item = 1;
          model::require(ring.try_push(&item), "where there was room a push succeeds");
        }
        model::require(ring.size_guess() <= 1, "never more than the capacity");
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          model::await([&] { return ring.size_guess() != 0; });
          int* item = nullptr;
          model::require(ring.try_pop(item), "where there was an item a pop succeeds");
          model::require(*item == 1, "what the producer wrote is there");
        }
      });
}

// A third thread that checks, like one that is about to sleep, sees at least what it saw before,
// and what was written before the items.
void third_thread_looks() {
  ring_type ring{2};
  int items[2]{};
  model::run_threads(
      [&] {
        push(ring, items[0], 1);
        push(ring, items[1], 1);
      },
      [&] {
        pop(ring, 1);
        pop(ring, 1);
      },
      [&] {
        const std::size_t size = ring.size_guess();
        model::require(size <= 2, "never less than nothing");
        if (size == 2) {
          model::require(items[1] == 1, "what the producer wrote is there");
        }
      });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "spsc_ring (queue): 2 threads, 1 and 2 slots",
      {{"4 items through 2 slots", "each item once, in order", through_two_slots},
       {"has_room and size_guess", "what they promise holds", promises},
       {"a third thread looks", "a size that was, and what was written", third_thread_looks}},
      argc, argv);
}

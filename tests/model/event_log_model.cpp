// A log that one thread writes while another reads it (trace/event_log.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "checker/protocol.hpp"
#include "finegrain/trace/event_log.hpp"

namespace {

// Three events fill two chunks, the fourth finds no room.
constexpr std::size_t kChunkEvents = 2;
constexpr std::size_t kMostChunks = 2;

struct event {
  int first = 0;
  int second = 0;
};

void read_while_written() {
  fg::detail::event_log<event, kChunkEvents, kMostChunks> log;
  model::run_threads(
      [&] {
        for (int i = 1; i <= 3; ++i) {
          log.add({i, -i});
        }
      },
      [&] {
        const std::size_t size = log.size();
        for (std::size_t at = 0; at != size; ++at) {
          const event& seen = log[at];
          model::require(seen.first == static_cast<int>(at) + 1 && seen.second == -seen.first,
                         "an event that counts is there, whole");
        }
      });
  model::require(log.size() == 3, "nothing is lost");
}

void full() {
  fg::detail::event_log<event, 1, 1> log;
  model::run_threads(
      [&] {
        log.add({1, 1});
        log.add({2, 2});
      },
      [&] { model::require(log.size() <= 1 && log.dropped() <= 1, "no more than there is room"); });
  model::require(log.size() == 1 && log.dropped() == 1, "what finds no room is counted");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "event_log: a writer and a reader",
      {{"read while written", "an event that counts is there, whole", read_while_written},
       {"full", "what finds no room is counted", full}},
      argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/program.hpp"

#include "sim/simulator/simulator.hpp"

namespace sim {
namespace {

simulator* here() {
  simulator* const it = simulator::current();
  return it != nullptr && it->is_inside() ? it : nullptr;
}

}  // namespace

std::uint64_t read_clock() { return here() != nullptr ? here()->read_clock() : 1; }

double cycles_per_ns() { return here() != nullptr ? here()->on().ghz : 1; }

double virtual_ns() {
  simulator* const it = here();
  return it != nullptr ? static_cast<double>(it->now()) / it->on().ghz : 0;
}

void spend_ns(double ns) {
  if (simulator* const it = here()) {
    it->spend(it->on().cycles(ns));
  }
}

void sleep_ns(double ns) {
  if (simulator* const it = here()) {
    it->sleep(static_cast<std::uint64_t>(ns));
  }
}

void pause() {
  if (simulator* const it = here()) {
    it->pause();
  }
}

std::uint32_t take_turns_parked() { return here() != nullptr ? here()->take_turns_parked() : 0; }

std::size_t this_thread() { return here() != nullptr ? here()->thread() : kMaxCores; }

std::pair<std::uintptr_t, std::uintptr_t> this_stack() {
  return here() != nullptr ? here()->stack() : std::pair<std::uintptr_t, std::uintptr_t>{};
}

void count_one(count what) {
  if (simulator* const it = here()) {
    it->count_one(what);
  }
}

counts counted() { return here() != nullptr ? here()->counted() : counts{}; }

void begin_counting() {
  if (simulator* const it = here()) {
    it->begin_counting();
  }
}

std::uint32_t longest_wake_up_chain() {
  return here() != nullptr ? here()->longest_wake_up_chain() : 0;
}

std::uint64_t most_line_transfers() {
  return here() != nullptr ? here()->most_line_transfers() : 0;
}

std::size_t bytes_in_use() { return here() != nullptr ? here()->bytes_in_use() : 0; }

}  // namespace sim

// What a simulated program, and the doubles in it, ask of the simulator. Out of line, so that asking
// costs no access. On threads that are not virtual no time passes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/simulator/counts.hpp"

namespace sim {

std::uint64_t read_clock();
double cycles_per_ns();
/// The calling thread's virtual time; to ask takes none.
double virtual_ns();
/// Computes for so long, without accesses.
void spend_ns(double ns);
/// Sleeps, without accesses.
void sleep_ns(double ns);
void pause();
std::uint32_t take_turns_parked();

std::size_t this_thread();
std::pair<std::uintptr_t, std::uintptr_t> this_stack();

void count_one(count what);
/// Of all threads so far.
counts counted();
void begin_counting();
/// Since begin_counting.
std::uint32_t longest_wake_up_chain();
/// Of the thread that has most since then.
std::uint64_t most_line_transfers();
std::size_t bytes_in_use();

}  // namespace sim

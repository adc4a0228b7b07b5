// Replaces what the drop-in uses, for models: no environment, no runtime, no cache of teams.
// SPDX-License-Identifier: Apache-2.0
#include "omp/below.hpp"

#include <array>
#include <cstdlib>
#include <new>

#include "checker/explorer.hpp"
#include "next_function.hpp"
#include "settings.hpp"
#include "team_cache.hpp"

namespace fg::omp {

settings::settings() noexcept : policy_{nullptr}, spin_ticks_{0}, crowded_spin_ticks_{0} {}

settings& settings::changeable() noexcept {
  static settings all;
  return all;
}

void end_without_memory(std::string_view /*what*/) noexcept { std::abort(); }

// No scenario sets control variables, or has a region without a team.
void* find_next(const char* /*name*/) noexcept { std::abort(); }
team_cache& team_cache::instance() { std::abort(); }
// NOLINTBEGIN(readability-convert-member-functions-to-static): as the shipped ones
team& team_cache::take(std::size_t /*size*/) { std::abort(); }
void team_cache::give_back(team& /*used*/) noexcept { std::abort(); }
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace fg::omp

namespace model::omp {
namespace {

constexpr std::size_t kChunkBytes = 16384;  // task_memory's

std::array<void*, 8> chunks;
std::size_t chunk_count = 0;

}  // namespace

void forget_chunks() noexcept { chunk_count = 0; }

void free_chunks() noexcept {
  while (chunk_count != 0) {
    ::operator delete(chunks[--chunk_count]);
  }
}

}  // namespace model::omp

void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*nothrow*/) noexcept {
  void* const block = ::operator new(bytes, alignment);
  if (bytes == model::omp::kChunkBytes) {
    model::omp::chunks[model::omp::chunk_count++] = block;
  }
  return block;
}

// Passes a region's body and its captured variables through the runtime below.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "kmpc.hpp"

namespace fg::omp::kmpc {

/// Up to this many captured variables, more than programs have, cost one extra call; more take
/// libffi and allocations.
inline constexpr std::size_t kMostDirect = 24;

namespace detail {

// Calls the body with any number of variables, through libffi. Ends the program if memory runs out.
void call_with_many(micro_task body, std::int32_t* gtid, std::int32_t* btid,
                    std::span<void*> captured) noexcept;

// The type of each captured variable: a pointer, or a value as large as one.
template <std::size_t>
using variable = void*;

// Arguments before the captured variables: context, traits, body.
constexpr std::int32_t kAhead = 3;

// Compiled code defines the body with exactly this many parameters, not as a variadic function.
template <class Part, std::size_t... Is>
struct passed_on {
  using context = typename Part::context;
  using exact_type = void (*)(std::int32_t*, std::int32_t*, variable<Is>...);

  static void run(std::int32_t* gtid, std::int32_t* btid, context* given, std::uintptr_t traits,
                  exact_type body, variable<Is>... captured) noexcept {
    const Part part{*given, traits, *gtid, *btid};
    body(gtid, btid, captured...);
  }

  static void start(fork* real, ident* where, context* given, std::uintptr_t traits,
                    micro_task body, [[maybe_unused]] void** captured) {
    real(where, kAhead + static_cast<std::int32_t>(sizeof...(Is)),
         reinterpret_cast<micro_task>(&run), given, traits, body, captured[Is]...);
  }
};

template <class Part>
void run_with_many(std::int32_t* gtid, std::int32_t* btid, typename Part::context* given,
                   std::uintptr_t traits, micro_task body, std::span<void*>* captured) noexcept {
  const Part part{*given, traits, *gtid, *btid};
  call_with_many(body, gtid, btid, *captured);
}

template <class Part>
using starter = void (*)(fork*, ident*, typename Part::context*, std::uintptr_t, micro_task,
                         void**);

template <class Part, std::size_t... Is>
constexpr starter<Part> starter_of(std::index_sequence<Is...> /*numbers*/) {
  return &passed_on<Part, Is...>::start;
}

template <class Part, std::size_t... Counts>
constexpr std::array<starter<Part>, sizeof...(Counts)> starters_of(
    std::index_sequence<Counts...> /*counts*/) {
  return {starter_of<Part>(std::make_index_sequence<Counts>{})...};
}

}  // namespace detail

/// Calls `real` to run a region of `body` with its captured variables. Each thread constructs a
/// `Part` from `given`, `traits` and the runtime's two numbers of the thread before the body, and
/// destroys it after the body.
///
/// The runtime passes all of it as captured variables, and its threads read it with those. So no
/// further cache line moves between threads unless a part reads `given`.
template <class Part>
void start_region(fork* real, ident* where, micro_task body, std::span<void*> captured,
                  typename Part::context& given, std::uintptr_t traits) {
  static constexpr auto kStarters =
      detail::starters_of<Part>(std::make_index_sequence<kMostDirect + 1>{});
  if (captured.size() <= kMostDirect) {
    kStarters[captured.size()](real, where, &given, traits, body, captured.data());
    return;
  }
  real(where, detail::kAhead + 1, reinterpret_cast<micro_task>(&detail::run_with_many<Part>),
       &given, traits, body, &captured);
}

}  // namespace fg::omp::kmpc

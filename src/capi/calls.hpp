// Function objects that wrap a C program's callbacks for the algorithms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "finegrain/controller/type_erased.hpp"
#include "finegrain/finegrain.h"

namespace fg::capi {

/// A routine and its argument. Passed by copy.
struct call {
  fg_routine routine;
  void* arguments;
  void operator()() const { routine(arguments); }
};

/// The result of a routine with values, on its way to the C program.
struct value_result {
  std::size_t size;
  alignas(8) std::byte bytes[FG_VALUE_BYTES];
};

/// A routine with a copy of its arguments. It fills a relic's slot, as its result does later.
struct value_call {
  fg_value_routine routine;
  std::uint64_t result_size;
  alignas(8) std::byte arguments[FG_VALUE_BYTES];

  value_result operator()() const {
    value_result made;
    made.size = result_size;
    routine(arguments, made.bytes);
    return made;
  }
};

/// The bytes of a C program to which a result is assigned.
struct value_destination {
  value_destination& operator=(const value_result& given) noexcept {
    std::memcpy(static_cast<void*>(this), given.bytes, given.size);
    return *this;
  }
};

/// A loop's body and its argument.
struct loop_call {
  fg_loop_body body;
  void* arguments;
  void operator()(std::size_t begin, std::size_t end) const { body(arguments, begin, end); }
};

}  // namespace fg::capi

// All callers in C share this type, so the pool's loops do not ask its site.
namespace fg::inline FINEGRAIN_ABI::detail {

template <>
inline constexpr bool is_type_erased<fg::capi::loop_call> = true;

}  // namespace fg::inline FINEGRAIN_ABI::detail

// How a part of a bag becomes bytes, for messages and files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi {

/// Bytes of a message or a file.
using bytes = std::vector<std::byte>;

/// Writes a `Part` as bytes and reads it back, on machines of the same kind. Specialize it for parts
/// that are not contiguous, or whose items are not trivially copyable. An empty part may become any
/// bytes.
template <class Part>
struct serial;

/// Contiguous trivially copyable items, a std::vector or a std::string: their bytes.
template <class Part>
  requires std::ranges::contiguous_range<Part> &&
           std::is_trivially_copyable_v<std::ranges::range_value_t<Part>> &&
           requires(Part& part, std::size_t n) { part.resize(n); }
struct serial<Part> {
  static bytes write(const Part& part) {
    const auto raw = std::as_bytes(std::span{part});
    return {raw.begin(), raw.end()};
  }
  static Part read(std::span<const std::byte> raw) {
    Part part;
    part.resize(raw.size() / sizeof(std::ranges::range_value_t<Part>));
    if (!part.empty()) {
      std::memcpy(std::ranges::data(part), raw.data(), raw.size());
    }
    return part;
  }
};

/// A type that `serial` writes and reads.
template <class Part>
concept serializable = requires(const Part& part, std::span<const std::byte> raw) {
  { serial<Part>::write(part) } -> std::same_as<bytes>;
  { serial<Part>::read(raw) } -> std::same_as<Part>;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi

// Bytes that a value travels in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace fg::bench {

/// Room for one value of up to `Bytes` bytes, of whatever type; it is for the user to know which.
template <std::size_t Bytes>
class value_room {
 public:
  template <class T>
  void put(const T& value) noexcept {
    static_assert(fits<T>());
    std::memcpy(bytes_.data(), static_cast<const void*>(&value), sizeof value);
  }
  template <class T>
  [[nodiscard]] T get() const noexcept {
    static_assert(fits<T>());
    T value;
    std::memcpy(static_cast<void*>(&value), bytes_.data(), sizeof value);
    return value;
  }

 private:
  template <class T>
  static constexpr bool fits() {
    return sizeof(T) <= Bytes && std::is_trivially_copyable_v<T> && !std::is_empty_v<T>;
  }

  alignas(long) std::array<std::byte, Bytes> bytes_;
};

}  // namespace fg::bench

// Memory that shares no cache line with another instance's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace fg::bench {

/// Alignment and size unit of all memory that a kernel instance writes: two 64-byte lines, because
/// the spatial prefetchers of x86 fetch lines in pairs of 128 bytes.
inline constexpr std::size_t kIsolationBytes = 128;

/// A fixed number of trivial elements on cache lines of their own.
///
/// Guarantees: the storage starts at a multiple of `kIsolationBytes` and its size is rounded up to
/// one, so nothing else lies in its lines. Only the constructor allocates. Threads: as a plain
/// array.
template <typename T>
class isolated_array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= kIsolationBytes);

 public:
  isolated_array() = default;

  /// `size` copies of `value`. Throws std::bad_alloc.
  explicit isolated_array(std::size_t size, T value = T{})
      : elements_(allocate(size)), size_(size) {
    std::uninitialized_fill_n(elements_.get(), size, value);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return elements_.get(); }
  [[nodiscard]] const T* data() const noexcept { return elements_.get(); }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return elements_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return elements_[index]; }
  [[nodiscard]] std::span<T> span() noexcept { return {data(), size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data(), size_}; }

 private:
  struct aligned_delete {
    void operator()(T* elements) const noexcept {
      ::operator delete(elements, std::align_val_t{kIsolationBytes});
    }
  };

  [[nodiscard]] static T* allocate(std::size_t size) {
    const std::size_t units = (size * sizeof(T) + kIsolationBytes - 1) / kIsolationBytes;
    const std::size_t bytes = (units == 0 ? 1 : units) * kIsolationBytes;
    return static_cast<T*>(::operator new(bytes, std::align_val_t{kIsolationBytes}));
  }

  std::unique_ptr<T[], aligned_delete> elements_;
  std::size_t size_ = 0;
};

}  // namespace fg::bench

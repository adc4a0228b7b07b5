// Atomics that report to the model checker: replaces the shipped core/atomic.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "checker/explorer.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

constexpr model::order modelled(memory_order order) noexcept {
  switch (order) {
    case memory_order_relaxed:
      return model::order::relaxed;
    case memory_order_acquire:
    case std::memory_order_consume:
      return model::order::acquire;
    case memory_order_release:
      return model::order::release;
    case memory_order_acq_rel:
      return model::order::acq_rel;
    case memory_order_seq_cst:
      break;
  }
  return model::order::seq_cst;
}

// The order of a failed compare-exchange if only one order is given.
constexpr model::order without_release(memory_order order) noexcept {
  switch (order) {
    case memory_order_release:
      return model::order::relaxed;
    case memory_order_acq_rel:
      return model::order::acquire;
    default:
      return modelled(order);
  }
}

}  // namespace detail

/// std::atomic as far as finegrain uses it. Objects outside of a scenario's memory are plain.
template <class T>
class atomic {
  static constexpr std::size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression)
  static_assert(std::is_trivially_copyable_v<T> && kBytes <= sizeof(model::word));
  using at = std::source_location;

  // A sleep has events of its own, so not all words have one.
  static constexpr bool kIsSleptOn =
      std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::size_t> || std::is_enum_v<T>;

 public:
  using value_type = T;

  constexpr atomic(at where = at::current()) noexcept : atomic{T{}, where} {}
  // NOLINTNEXTLINE(google-explicit-constructor): as std::atomic's
  constexpr atomic(T value, at where = at::current()) noexcept : value_{value} {
    if (!std::is_constant_evaluated() && is_modelled()) {
      explorer().construct(this, kBytes, to_word(value), where);
      if constexpr (kIsSleptOn) {
        explorer().construct(queue(), 1, 0, where);
      }
    }
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[nodiscard]] T load(memory_order order = memory_order_seq_cst,
                       at where = at::current()) const noexcept {
    return is_modelled() ? from_word(explorer().load(this, kBytes, detail::modelled(order), where))
                         : value_;
  }
  void store(T value, memory_order order = memory_order_seq_cst,
             at where = at::current()) noexcept {
    if (is_modelled()) {
      explorer().store(this, kBytes, to_word(value), detail::modelled(order), where);
    } else {
      value_ = value;
    }
  }
  T exchange(T value, memory_order order = memory_order_seq_cst,
             at where = at::current()) noexcept {
    return update([value](T) { return value; }, order, where);
  }
  T fetch_add(T more, memory_order order = memory_order_seq_cst,
              at where = at::current()) noexcept {
    return update([more](T old) { return static_cast<T>(old + more); }, order, where);
  }
  T fetch_sub(T less, memory_order order = memory_order_seq_cst,
              at where = at::current()) noexcept {
    return update([less](T old) { return static_cast<T>(old - less); }, order, where);
  }
  T fetch_and(T mask, memory_order order = memory_order_seq_cst,
              at where = at::current()) noexcept {
    return update([mask](T old) { return static_cast<T>(old & mask); }, order, where);
  }
  T fetch_or(T bits, memory_order order = memory_order_seq_cst, at where = at::current()) noexcept {
    return update([bits](T old) { return static_cast<T>(old | bits); }, order, where);
  }

  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
                               at where = at::current()) noexcept {
    return compare_exchange(expected, desired, detail::modelled(success), detail::modelled(failure),
                            where);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst,
                               at where = at::current()) noexcept {
    return compare_exchange(expected, desired, detail::modelled(order),
                            detail::without_release(order), where);
  }
  /// Never fails spuriously: a loop around it would only take another turn.
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
                             at where = at::current()) noexcept {
    return compare_exchange_strong(expected, desired, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst,
                             at where = at::current()) noexcept {
    return compare_exchange_strong(expected, desired, order, where);
  }

  void wait(T old, memory_order order = memory_order_seq_cst,
            at where = at::current()) const noexcept
    requires kIsSleptOn
  {
    explorer().wait(this, kBytes, to_word(old), detail::modelled(order), where);
  }
  void notify_one(at where = at::current()) noexcept { explorer().notify_one(this, where); }
  void notify_all(at where = at::current()) noexcept { explorer().notify_all(this, where); }

 private:
  static model::explorer& explorer() noexcept { return *model::explorer::current(); }
  [[nodiscard]] bool is_modelled() const noexcept {
    return model::explorer::current() != nullptr && explorer().is_inside() && explorer().owns(this);
  }
  [[nodiscard]] const void* queue() const noexcept {
    return reinterpret_cast<const std::byte*>(this) + 1;
  }

  static model::word to_word(T value) noexcept {
    model::word result = 0;
    __builtin_memcpy(&result, static_cast<const void*>(&value), kBytes);
    return result;
  }
  static T from_word(model::word value) noexcept {
    T result;
    __builtin_memcpy(static_cast<void*>(&result), &value, kBytes);
    return result;
  }

  template <class Update>
  T update(Update next_of, memory_order order, at where) noexcept {
    if (!is_modelled()) {
      const T old = value_;
      value_ = next_of(old);
      return old;
    }
    return from_word(explorer().read_modify_write(
        this, kBytes, detail::modelled(order), detail::modelled(order),
        [&](model::word old, model::word& next) {
          next = to_word(next_of(from_word(old)));
          return true;
        },
        where));
  }

  bool compare_exchange(T& expected, T desired, model::order success, model::order failure,
                        at where) noexcept {
    const model::word wanted = to_word(expected);
    model::word old = 0;
    if (is_modelled()) {
      old = explorer().read_modify_write(
          this, kBytes, success, failure,
          [&](model::word present, model::word& next) {
            next = to_word(desired);
            return present == wanted;
          },
          where);
    } else {
      old = to_word(value_);
      value_ = old == wanted ? desired : value_;
    }
    if (old != wanted) {  // otherwise not even the same value: others may use `expected` by now
      expected = from_word(old);
    }
    return old == wanted;
  }

  T value_;
};

inline void thread_fence(memory_order order,
                         std::source_location where = std::source_location::current()) noexcept {
  if (model::explorer::current() != nullptr && model::explorer::current()->is_inside()) {
    model::explorer::current()->fence(detail::modelled(order), where);
  }
}

inline void signal_fence(memory_order /*order*/) noexcept {}

}  // namespace fg::inline FINEGRAIN_ABI

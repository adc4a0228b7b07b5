// How a task carries a callable: as a copy if no program can tell them apart, else by reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

template <class Member>
inline constexpr bool kIsConstMember = false;
template <class R, class T, class... Args>
inline constexpr bool kIsConstMember<R (T::*)(Args...) const> = true;
template <class R, class T, class... Args>
inline constexpr bool kIsConstMember<R (T::*)(Args...) const noexcept> = true;

/// True if a call of `F` with `Args` calls the same function whether the `F` is const or not: its
/// only call operator, perhaps a template of its arguments' types, is const; or it is a pointer.
template <class F, class... Args>
consteval bool is_called_as_const() {
  if constexpr (requires { &F::operator(); }) {
    return kIsConstMember<decltype(&F::operator())>;
  } else if constexpr (requires { &F::template operator()<Args...>; }) {
    return kIsConstMember<decltype(&F::template operator()<Args...>)>;
  } else {
    return std::is_pointer_v<F>;
  }
}

/// True if a closure can hold a copy of a `T` and `Beside` more bytes: then the other thread need
/// not fetch it from the caller's stack.
template <class T, std::size_t Beside>
inline constexpr bool kFitsInClosure = requires {
  requires std::is_trivially_copyable_v<T>;  // no reference, no function
  requires sizeof(T) + Beside <= kTaskClosureBytes && alignof(T) <= kTaskClosureAlignment;
};

/// The same for a callable, which a copy may replace only if no program can tell them apart.
template <class F, std::size_t Beside, class... Args>
inline constexpr bool kIsCarriedAsCopy =
    kFitsInClosure<F, Beside> && is_called_as_const<std::remove_const_t<F>, Args...>();

/// A `T` on its way to another thread, as a copy or by reference. The original must outlive it.
template <class T, bool AsCopy>
class carried {
 public:
  explicit carried(T& what) noexcept
      : held_(static_cast<std::conditional_t<AsCopy, const T&, T&>>(what)) {}

  /// The `T`, or the caller's own copy, whose members may stay in registers whatever is written.
  [[nodiscard]] std::conditional_t<AsCopy, const T, T&> get() const noexcept { return held_; }

 private:
  std::conditional_t<AsCopy, const T, T&> held_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

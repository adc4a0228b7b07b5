// What a task carries of a callable: a copy where it can, a reference elsewhere.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

template <class Member>
inline constexpr bool kIsConstMember = false;
template <class R, class T>
inline constexpr bool kIsConstMember<R (T::*)() const> = true;
template <class R, class T>
inline constexpr bool kIsConstMember<R (T::*)() const noexcept> = true;

/// A call of `T` is one of the same function whether `T` is const or not: it has one call operator
/// only, which is const, or is a function pointer, or is not called at all.
template <class T>
inline constexpr bool kIsUsedAsConst = std::is_pointer_v<T> || !std::is_invocable_v<T&>;
template <class T>
  requires requires { &T::operator(); }
inline constexpr bool kIsUsedAsConst<T> = kIsConstMember<decltype(&T::operator())>;

/// A `T` that a task carries as a copy, in a closure with `Beside` bytes of something else: the
/// other thread need not fetch it from the caller's stack, and nobody can tell the difference.
template <class T, std::size_t Beside>
inline constexpr bool kIsCarriedAsCopy =
    std::is_trivially_copyable_v<T> && kIsUsedAsConst<std::remove_const_t<T>> &&
    sizeof(T) + Beside <= kTaskClosureBytes && alignof(T) <= kTaskClosureAlignment;

/// A `T` on its way to another thread. The one that it was made of outlives it.
template <class T, std::size_t Beside>
class carried {
 public:
  explicit carried(T& what) noexcept : held_{hold(what)} {}

  [[nodiscard]] auto& get() const noexcept {
    if constexpr (kIsCopy) {
      return held_;
    } else {
      return *held_;
    }
  }

 private:
  static constexpr bool kIsCopy = kIsCarriedAsCopy<T, Beside>;
  using held = std::conditional_t<kIsCopy, std::remove_const_t<T>, T*>;
  static held hold(T& what) noexcept {
    if constexpr (kIsCopy) {
      return what;
    } else {
      return std::addressof(what);
    }
  }

  held held_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

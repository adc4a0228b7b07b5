// What a reduction's result may be made from without a loss that nobody sees.
#pragma once

#include <type_traits>
#include <utility>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// No number of type From is cut off when it becomes a To: a To holds all of them, or is a
/// floating-point type, which was asked for, or an unsigned one of as many bits, in which counts
/// go on as in any unsigned type. Types that are no numbers convert as they say themselves.
template <class To, class From>
inline constexpr bool kConvertsWhole =
    !std::conjunction_v<std::is_arithmetic<To>, std::is_arithmetic<From>> ||
    requires { To{std::declval<From>()}; } ||
    (std::is_floating_point_v<To> && std::is_integral_v<From>) ||
    (std::is_unsigned_v<To> && !std::is_same_v<To, bool> && std::is_integral_v<From> &&
     sizeof(To) >= sizeof(From));

template <class T>
struct promoted {
  using type = T;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct promoted<T> {
  using type = decltype(+std::declval<T>());
};

/// The same of what `Combine` makes of two T, but that the sum of two short or char may be the int
/// which operators make of them.
template <class T, class Combine,
          class Result = std::remove_cvref_t<std::invoke_result_t<Combine&, T, T>>>
inline constexpr bool kCombinesWhole =
    kConvertsWhole<T, Result> || std::is_same_v<Result, typename promoted<T>::type>;

}  // namespace fg::inline FINEGRAIN_ABI::detail

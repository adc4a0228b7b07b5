// The stages of a pipeline: what they call, and how many tokens may be in one at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How tokens pass through a stage.
enum class stage_mode : std::uint8_t {
  serial_in_order,      ///< one at a time, in the order in which the first stage made them
  serial_out_of_order,  ///< one at a time, in the order in which they come
  parallel              ///< any number at once
};

/// A stage: made by `serial_in_order`, `serial_out_of_order` and `parallel`.
template <stage_mode Mode, class F>
struct stage {
  static constexpr stage_mode kMode = Mode;
  using function = F;
  F call;
};

/// A stage that takes one token at a time, in the order in which the first stage made them. A copy of
/// `f` is called by different threads, one after the other; each sees what it wrote before.
template <class F>
[[nodiscard]] stage<stage_mode::serial_in_order, std::decay_t<F>> serial_in_order(F&& f) {
  return {std::forward<F>(f)};
}
/// A stage that takes one token at a time, in the order in which they come. As the first stage, the same
/// as `serial_in_order`.
template <class F>
[[nodiscard]] stage<stage_mode::serial_out_of_order, std::decay_t<F>> serial_out_of_order(F&& f) {
  return {std::forward<F>(f)};
}
/// A stage that takes any number of tokens at once: its function is called by several threads. Not the
/// first one.
template <class F>
[[nodiscard]] stage<stage_mode::parallel, std::decay_t<F>> parallel(F&& f) {
  return {std::forward<F>(f)};
}

namespace detail {

template <class T>
inline constexpr bool is_stage = false;
template <stage_mode Mode, class F>
inline constexpr bool is_stage<stage<Mode, F>> = true;

/// What a token carries after a stage whose function returns nothing.
struct no_value {};

/// What the first stage's function makes: `T` if it returns std::optional<T>, no value if bool.
template <class Returned>
struct made_by_source {
  static_assert(sizeof(Returned) == 0,
                "finegrain: the first stage of a pipeline returns a std::optional, empty at the "
                "end, or a bool, false at the end");
};
template <>
struct made_by_source<bool> {
  using type = no_value;
};
template <class T>
struct made_by_source<std::optional<T>> {
  using type = T;
};
template <class F>
using source_value_t = typename made_by_source<std::remove_cvref_t<std::invoke_result_t<F&>>>::type;

/// Calls the function of a stage with what the stage before returned. Mistakes end here: nothing else
/// looks at the types.
template <class F, class Value>
decltype(auto) call_stage(F& f, Value&& value) {
  if constexpr (std::is_same_v<std::decay_t<Value>, no_value>) {
    static_assert(std::is_invocable_v<F&>,
                  "finegrain: a stage of a pipeline is called without arguments after one that "
                  "returns nothing, or a first one that returns a bool");
    if constexpr (std::is_invocable_v<F&>) {
      return std::invoke(f);
    }
  } else {
    static_assert(std::is_invocable_v<F&, Value>,
                  "finegrain: a stage of a pipeline is called with what the one before it returns, "
                  "as an rvalue");
    if constexpr (std::is_invocable_v<F&, Value>) {
      return std::invoke(f, std::forward<Value>(value));
    }
  }
}

template <class F, class Value>
using call_stage_t = decltype(detail::call_stage(std::declval<F&>(), std::declval<Value>()));

/// What a token carries after it.
template <class F, class Value>
struct stage_value {
  using returned = call_stage_t<F, Value>;
  static_assert(
      !std::is_reference_v<returned>,
      "finegrain: a stage of a pipeline returns a value, which the token carries; return a "
      "pointer to what stays where it is");
  using type = std::conditional_t<std::is_void_v<returned>, no_value, std::remove_cv_t<returned>>;
};

/// The values of a token after each stage but the last one.
template <class... Values>
struct value_list {};

template <class Done, class Value, class... Fs>
struct values_after;
template <class... Done, class Value, class Last>
struct values_after<value_list<Done...>, Value, Last> {
  using type = value_list<Done..., Value>;
};
template <class... Done, class Value, class F, class Next, class... Later>
struct values_after<value_list<Done...>, Value, F, Next, Later...>
    : values_after<value_list<Done..., Value>, typename stage_value<F, Value>::type, Next,
                   Later...> {};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI

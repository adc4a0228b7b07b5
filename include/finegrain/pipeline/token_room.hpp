// Where a token of a pipeline keeps its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <tuple>

#include "finegrain/core/cache_line.hpp"
#include "finegrain/pipeline/stage.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Room for the value of one token, on cache lines of its own. There are two halves, used in turn: a
/// stage reads its value from one and writes what it returns into the other.
///
/// One thread at a time uses it, the one that has the token; what hands the token over orders them.
template <class Values>
class token_room;

template <class... Values>
class alignas(std::max({kCacheLineBytes, alignof(Values)...})) token_room<value_list<Values...>> {
 public:
  /// After stage `Stage`.
  template <std::size_t Stage>
  using value = std::tuple_element_t<Stage, std::tuple<Values...>>;

  token_room() = default;
  token_room(const token_room&) = delete;
  token_room& operator=(const token_room&) = delete;

  /// False: the token was dropped, and there is no value.
  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  void set_has_value(bool has_value) noexcept { has_value_ = has_value; }

  /// Makes the value of stage `Stage` from what `make` returns.
  template <std::size_t Stage, class Make>
  void emplace(Make make) {
    ::new (at<Stage>()) value<Stage>(make());
  }
  template <std::size_t Stage>
  [[nodiscard]] value<Stage>& get() noexcept {
    return *std::launder(static_cast<value<Stage>*>(at<Stage>()));
  }
  template <std::size_t Stage>
  void destroy() noexcept {
    std::destroy_at(std::addressof(get<Stage>()));
  }

 private:
  static constexpr std::size_t kAlignment = std::max({alignof(Values)...});
  static constexpr std::size_t kBytes =
      (std::max({sizeof(Values)...}) + kAlignment - 1) / kAlignment * kAlignment;

  template <std::size_t Stage>
  void* at() noexcept {
    return halves_ + (Stage % 2) * kBytes;
  }

  alignas(kAlignment) std::byte halves_[(sizeof...(Values) > 1 ? 2 : 1) * kBytes];
  bool has_value_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

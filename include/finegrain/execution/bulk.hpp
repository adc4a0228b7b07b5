// std::execution's bulk algorithms as loops on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/pool/loop_options.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/execution/sender.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Which of the bulk algorithms, and under which execution policy.
struct bulk_kind {
  bool is_chunked;   ///< bulk_chunked, whose function takes ranges; otherwise bulk_unchunked
  bool is_parallel;  ///< otherwise the calls are made in order, on one worker
};

/// Runs `piece(begin, end)` over `size` iterations. False: some were left out because `token` asked
/// to stop. Rethrows one exception of a piece. `Site` tells the place in the source, as the body of
/// a `parallel_for` does.
template <class Site, class Token, class Piece>
bool run_bulk(std::uint64_t size, bulk_kind kind, const Token& token, const Piece& piece) {
  atomic<bool> all_run{true};
  const auto unless_stopped = [&](std::uint64_t begin, std::uint64_t end) {
    if (token.stop_requested()) {
      all_run.store(false, memory_order_relaxed);  // the end of the loop orders it
    } else {
      piece(begin, end);
    }
  };
  pool_loop_options options;
  // A stop request does not interrupt a piece, and no other worker takes part of one.
  if (!kind.is_chunked) {
    options.grain = 1;
  } else if (token.stop_possible()) {
    options.grain = grain_for(size, 0);
  }
  if (!kind.is_parallel) {
    options.mode = offload::never;
  }
  run_pieces<Site>(size, options, unless_stopped);
  return all_run.load(memory_order_relaxed);  // as above
}

/// The token of an environment that has none.
struct no_stop_token {
  static constexpr bool stop_requested() noexcept { return false; }
  static constexpr bool stop_possible() noexcept { return false; }
};

/// The stop token of an environment.
template <class Senders, class Env>
auto stop_token_of(const Env& env) noexcept {
  if constexpr (requires { env.query(typename Senders::get_stop_token_t{}); }) {
    return env.query(typename Senders::get_stop_token_t{});
  } else {
    return no_stop_token{};
  }
}

/// The same for a receiver, which need not have an environment.
template <class Senders, class Receiver>
auto stop_token_for(const Receiver& receiver) noexcept {
  if constexpr (requires { receiver.get_env(); }) {
    return stop_token_of<Senders>(receiver.get_env());
  } else {
    return no_stop_token{};
  }
}

/// The type alone says that no stop will be requested.
template <class Token>
concept unstoppable_token =
    requires { requires std::bool_constant<!Token::stop_possible()>::value; };

/// Whether calls of the function of a bulk algorithm cannot throw.
template <bulk_kind Kind, class Shape, class F, class... Values>
inline constexpr bool kBulkIsNoexcept =
    Kind.is_chunked ? std::is_nothrow_invocable_v<F&, Shape, Shape, Values&...>
                    : std::is_nothrow_invocable_v<F&, Shape, Values&...>;

/// Runs the loop of a bulk algorithm when the sender before it has completed with values, which it
/// then passes on. Passes on every other completion.
template <class Senders, bulk_kind Kind, class Shape, class F, class Receiver>
class bulk_receiver {
 public:
  using receiver_concept = typename Senders::receiver_tag;

  bulk_receiver(Shape shape, F f, Receiver receiver)
      : shape_{shape}, f_(std::move(f)), receiver_(std::move(receiver)) {}

  /// On a worker of the pool, which helps until the loop has ended. On other threads all calls are
  /// made there.
  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    const auto token = stop_token_for<Senders>(receiver_);
    FINEGRAIN_TRY {
      if (!run(token, values...)) {
        if constexpr (!unstoppable_token<std::remove_const_t<decltype(token)>>) {
          std::move(receiver_).set_stopped();
        }
        return;
      }
    }
    FINEGRAIN_CATCH(...) {
      if constexpr (!kBulkIsNoexcept<Kind, Shape, F, Values...>) {
        std::move(receiver_).set_error(std::current_exception());
      }
      return;
    }
    std::move(receiver_).set_value(std::forward<Values>(values)...);
  }

  template <class Error>
  void set_error(Error&& error) && noexcept {
    std::move(receiver_).set_error(std::forward<Error>(error));
  }

  void set_stopped() && noexcept { std::move(receiver_).set_stopped(); }

  [[nodiscard]] auto get_env() const noexcept
    requires requires(const Receiver& receiver) { receiver.get_env(); }
  {
    return receiver_.get_env();
  }

 private:
  template <class Token, class... Values>
  bool run(const Token& token, Values&... values) {
    const std::uint64_t size = shape_ > 0 ? static_cast<std::uint64_t>(shape_) : 0;
    return run_bulk<F>(size, Kind, token, [&](std::uint64_t begin, std::uint64_t end) {
      if constexpr (Kind.is_chunked) {
        f_(static_cast<Shape>(begin), static_cast<Shape>(end), values...);
      } else {
        for (; begin != end; ++begin) {
          f_(static_cast<Shape>(begin), values...);
        }
      }
    });
  }

  Shape shape_;
  F f_;
  Receiver receiver_;
};

/// The list of signatures and one more, unless it is there.
template <class List, class Signature>
struct with_signature;
template <template <class...> class List, class... Signatures, class Signature>
struct with_signature<List<Signatures...>, Signature> {
  using type = std::conditional_t<(std::same_as<Signatures, Signature> || ...), List<Signatures...>,
                                  List<Signatures..., Signature>>;
};

/// What a bulk algorithm on a pool is transformed into.
template <class Senders, bulk_kind Kind, class Shape, class F, class Child>
class bulk_sender {
 public:
  using sender_concept = typename Senders::sender_tag;

  bulk_sender(Shape shape, F f, Child child)
      : shape_{shape}, f_(std::move(f)), child_(std::move(child)) {}

  /// The child's, an exception of the function, and a stop.
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    using of_child = typename Senders::template completion_signatures_of_t<Child, Env>;
    using or_error = typename std::conditional_t<
        may_throw(of_child{}),
        with_signature<of_child, typename Senders::set_error_t(std::exception_ptr)>,
        std::type_identity<of_child>>::type;
    using token = decltype(stop_token_of<Senders>(std::declval<const Env&>()));
    return typename std::conditional_t<
        unstoppable_token<token>, std::type_identity<or_error>,
        with_signature<or_error, typename Senders::set_stopped_t()>>::type{};
  }

  template <class Receiver>
  [[nodiscard]] auto connect(Receiver receiver) && {
    return Senders::connect(std::move(child_),
                            receiver_for<Receiver>{shape_, std::move(f_), std::move(receiver)});
  }
  template <class Receiver>
  [[nodiscard]] auto connect(Receiver receiver) const& {
    return Senders::connect(child_, receiver_for<Receiver>{shape_, f_, std::move(receiver)});
  }

  /// It completes where its child does.
  [[nodiscard]] auto get_env() const noexcept
    requires requires(const Child& child) { child.get_env(); }
  {
    return child_.get_env();
  }

 private:
  template <class Receiver>
  using receiver_for = bulk_receiver<Senders, Kind, Shape, F, Receiver>;

  template <class Completion, class... Values>
  static consteval bool may_throw(Completion (* /*signature*/)(Values...)) {
    return std::same_as<Completion, typename Senders::set_value_t> &&
           !kBulkIsNoexcept<Kind, Shape, F, Values...>;
  }
  template <template <class...> class List, class... Signatures>
  static consteval bool may_throw(List<Signatures...> /*of_child*/) {
    return (may_throw(static_cast<Signatures*>(nullptr)) || ...);
  }

  Shape shape_;
  F f_;
  Child child_;
};

/// The domain of `basic_pool_scheduler`: std::execution's and stdexec's `bulk`, `bulk_chunked` and
/// `bulk_unchunked` share their calls among the pool's workers if the sender before them completes
/// on such a scheduler.
///
/// The worker on which that happens makes calls, lets others take some like a `parallel_for`
/// (algorithm/pool/parallel_for.hpp), helps until all have returned, and completes. So nothing is
/// allocated or copied, and the values that the function gets are those that are passed on. Under
/// `seq` and `unseq` it makes all calls itself. Whether others may take some is measured; of
/// `bulk_unchunked` they may take each single index.
///
/// After a stop request through the receiver's token calls that have not begun are not made, and
/// the operation is stopped; if none is left out, it completes with values. If calls throw, one
/// exception is the error, others are dropped, and calls that have not begun are not made. What
/// was written before is visible to the calls, and what they wrote to the receiver.
///
/// Beside the names of `plain_senders`, `Senders` has those of the algorithms, as
/// `stdexec_senders`. Source: P2300R10, P3481R5 and P3826R5; the working draft of C++26, [exec.bulk]
/// and [exec.snd.transform].
template <class Senders>
struct pool_domain : Senders::default_domain {
  template <class Sender, class Env>
    requires std::same_as<typename Senders::template tag_of_t<Sender>,
                          typename Senders::bulk_chunked_t> ||
             std::same_as<typename Senders::template tag_of_t<Sender>,
                          typename Senders::bulk_unchunked_t>
  static constexpr auto transform_sender(typename Senders::set_value_t /*completion*/,
                                         Sender&& sender, const Env& /*env*/) {
    auto&& [tag, data, child] = std::forward<Sender>(sender);
    auto& [policy, shape, f] = data;
    constexpr bulk_kind kKind{
        std::same_as<std::remove_cvref_t<decltype(tag)>, typename Senders::bulk_chunked_t>,
        Senders::template kIsParallel<std::remove_cvref_t<decltype(policy)>>};
    return bulk_sender<Senders, kKind, std::remove_cvref_t<decltype(shape)>,
                       std::remove_cvref_t<decltype(f)>, std::remove_cvref_t<decltype(child)>>{
        shape, like<Sender>(f), like<Sender>(child)};
  }

 private:
  // A part of a sender as an rvalue if the sender is one.
  template <class Sender, class Part>
  static constexpr auto&& like(Part& part) noexcept {
    if constexpr (std::is_lvalue_reference_v<Sender>) {
      return part;
    } else {
      return std::move(part);
    }
  }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

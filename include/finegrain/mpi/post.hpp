// The messages between ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <list>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/mpi/serial.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// What a message says; its tag.
enum class kind : int {
  request,   ///< give me work; the answer is work or a refusal
  lifeline,  ///< give me work when you have some
  work,      ///< a part of a bag, the answer to a request
  gift,      ///< the same for a lifeline request
  refusal,   ///< the answer to a request
  token,     ///< of the detection of the end
  end,       ///< no rank has work
  bound,     ///< the bound has risen
  pause,     ///< all ranks write a checkpoint, or end after it
  stop,      ///< to rank 0: a stop was requested
  report     ///< to rank 0: how far this rank is
};

/// A message that has come.
struct letter {
  int from;
  kind what;
  bytes body;

  template <class T>
  [[nodiscard]] T as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, body.data(), sizeof value);
    return value;
  }
};

/// One line and the end of all ranks if MPI reports an error.
// NOLINTNEXTLINE(readability-non-const-parameter): MPI's type of a handler
inline void end_all_ranks(MPI_Comm* all, int* error, ...) {
  char what[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  int rank = -1;
  MPI_Error_string(*error, what, &length);
  MPI_Comm_rank(*all, &rank);
  std::fprintf(stderr, "finegrain: rank %d: %s\n", rank, what);
  MPI_Abort(*all, 1);
}

/// The ranks of a communicator, in a communicator of its own. Made and destroyed by all ranks
/// together. Only the thread that has initialized MPI uses it.
///
/// Sends are synchronous and never wait: MPI tells later that a message has been received. So a rank
/// whose sends have all ended knows that nothing from it is in flight (`meet`), and no buffer of MPI
/// can be too small.
class post {
 public:
  explicit post(MPI_Comm of) {
    MPI_Comm_dup(of, &all_);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(end_all_ranks, &handler);
    MPI_Comm_set_errhandler(all_, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &count_);
  }
  ~post() {
    for (sent& each : sent_) {
      MPI_Wait(&each.request, MPI_STATUS_IGNORE);  // received, says `meet`
    }
    MPI_Comm_free(&all_);
  }
  post(const post&) = delete;
  post& operator=(const post&) = delete;

  [[nodiscard]] MPI_Comm all() const noexcept { return all_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return bytes_; }

  void send(int to, kind what, bytes body = {}) {
    if (body.size() > std::size_t{std::numeric_limits<int>::max()}) {
      fg::detail::raise(std::length_error{"finegrain: a part of more than 2 GiB for one message"});
    }
    ++messages_;
    bytes_ += body.size();
    sent& added = sent_.emplace_back(std::move(body));
    MPI_Issend(added.body.data(), static_cast<int>(added.body.size()), MPI_BYTE, to,
               static_cast<int>(what), all_, &added.request);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void send_value(int to, kind what, const T& value) {
    const auto raw = std::as_bytes(std::span{&value, 1});
    send(to, what, {raw.begin(), raw.end()});
  }
  void send_to_all_others(kind what, int value = 0) {
    for (int rank = 0; rank != count_; ++rank) {
      if (rank != rank_) {
        send_value(rank, what, value);
      }
    }
  }

  /// The next message that has come, if any.
  [[nodiscard]] std::optional<letter> receive() {
    int has_come = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &has_come, &status);
    if (has_come == 0) {
      return std::nullopt;
    }
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    letter come{status.MPI_SOURCE, static_cast<kind>(status.MPI_TAG),
                bytes(static_cast<std::size_t>(length))};
    MPI_Recv(come.body.data(), length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, all_,
             MPI_STATUS_IGNORE);
    return come;
  }

  /// Forgets the messages that have been received. True: all have.
  bool all_were_received() {
    std::erase_if(sent_, [](sent& each) {
      int is_done = 0;
      MPI_Test(&each.request, &is_done, MPI_STATUS_IGNORE);
      return is_done != 0;
    });
    return sent_.empty();
  }

  /// All ranks call it; returns when every message from before has been received. Each begins no
  /// exchange until then: it only answers. `answer()` receives and answers what has come;
  /// `awaits_answer()`: one is still due. Source: T. Hoefler et al., "Scalable communication protocols
  /// for dynamic sparse data exchange", PPoPP 2010: a rank whose messages have all been received
  /// enters a barrier, and goes on receiving until all are in it. A message sent from within the
  /// barrier is an answer to a rank that waits for it and so is not yet in the barrier.
  template <class Answer, class Awaits>
  void meet(Answer answer, Awaits awaits_answer) {
    while (!all_were_received() || awaits_answer()) {
      answer();
    }
    MPI_Request all_are_here = MPI_REQUEST_NULL;
    MPI_Ibarrier(all_, &all_are_here);
    for (int is_done = 0; is_done == 0; MPI_Test(&all_are_here, &is_done, MPI_STATUS_IGNORE)) {
      answer();
    }
  }

  /// The same value of every rank. All ranks call it.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> of_all(const T& own) const {
    std::vector<T> all(static_cast<std::size_t>(count_));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, all_);
    return all;
  }

 private:
  struct sent {
    bytes body;
    MPI_Request request = MPI_REQUEST_NULL;

    explicit sent(bytes what) noexcept : body{std::move(what)} {}
  };

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  int count_ = 1;
  std::list<sent> sent_;  // a message keeps its address until it has been received
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail

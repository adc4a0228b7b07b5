// The messages between ranks: requests for work, nodes, the token, the end.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/uts/tree.hpp"
#include "uts_mpi/termination.hpp"

namespace uts {

using fg::bench::uts::node;
static_assert(std::is_trivially_copyable_v<node>, "nodes travel as bytes, between like machines");

/// The ranks of a communicator. Only one thread per rank calls it.
class ranks {
 public:
  explicit ranks(MPI_Comm all) : all_{all} {
    MPI_Comm_rank(all, &own_);
    MPI_Comm_size(all, &count_);
    // Room for everything that one rank may have sent and no rank has received: its request, the
    // token, the end or a reply to each.
    const auto messages = static_cast<std::size_t>(count_) + 3;
    buffer_.resize(messages * (kMostNodes * sizeof(node) + MPI_BSEND_OVERHEAD));
    MPI_Buffer_attach(buffer_.data(), static_cast<int>(buffer_.size()));
  }
  ~ranks() {
    void* buffer = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&buffer, &bytes);  // when everything has been received
  }
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;

  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] int count() const { return count_; }

  // No send waits for its receiver: two ranks that send to each other would wait forever.
  void ask(int rank) const { send(nullptr, 0, rank, kAsk); }
  void pass_on(const termination::token& token) const {
    send(&token, sizeof token, (own_ + 1) % count_, kToken);
  }
  void tell_all_of_the_end() const {
    for (int rank = 1; rank < count_; ++rank) {
      send(nullptr, 0, rank, kEnd);
    }
  }
  /// Empty: a refusal.
  void give(int rank, const std::vector<node>& nodes) const {
    send(nodes.data(), nodes.size() * sizeof(node), rank, kNodes);
  }
  /// The maximum number of nodes in one message, 3 KiB.
  static constexpr std::size_t kMostNodes = 128;

  struct message {
    enum kind { asks, nodes_come, token_comes, ends } what;
    int from;
    std::vector<node> nodes{};
    termination::token token{};
  };

  /// The next message that has arrived, if any.
  [[nodiscard]] std::optional<message> receive() const {
    int has_come = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &has_come, &status);
    if (has_come == 0) {
      return std::nullopt;
    }
    message got{message::ends, status.MPI_SOURCE};
    if (status.MPI_TAG == kNodes) {
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      got.what = message::nodes_come;
      got.nodes.resize(static_cast<std::size_t>(bytes) / sizeof(node));
      take(got.nodes.data(), bytes, status);
    } else if (status.MPI_TAG == kToken) {
      got.what = message::token_comes;
      take(&got.token, sizeof got.token, status);
    } else {
      got.what = status.MPI_TAG == kAsk ? message::asks : message::ends;
      take(nullptr, 0, status);
    }
    return got;
  }

  /// Calls `meanwhile()` until all ranks have called this.
  template <class Meanwhile>
  void meet(Meanwhile meanwhile) const {
    MPI_Request all_are_here = MPI_REQUEST_NULL;
    MPI_Ibarrier(all_, &all_are_here);
    for (int done = 0; done == 0; MPI_Test(&all_are_here, &done, MPI_STATUS_IGNORE)) {
      meanwhile();
    }
  }

 private:
  enum tag { kAsk, kNodes, kToken, kEnd };

  void send(const void* data, std::size_t bytes, int rank, tag what) const {
    MPI_Bsend(data, static_cast<int>(bytes), MPI_BYTE, rank, what, all_);
  }
  void take(void* data, int bytes, const MPI_Status& of) const {
    MPI_Recv(data, bytes, MPI_BYTE, of.MPI_SOURCE, of.MPI_TAG, all_, MPI_STATUS_IGNORE);
  }

  MPI_Comm all_;
  int own_ = 0;
  int count_ = 0;
  std::vector<char> buffer_;
};

}  // namespace uts

// A rank that waits sleeps: for a message, or for all ranks to meet. With a pool of one worker nothing
// else can change anything for it, and its looks in vain would be nearly all of the simulation.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdint>
#include <map>
#include <simgrid/s4u.hpp>
#include <utility>

namespace {

struct mailbox {
  std::int64_t unread = 0;
  bool is_awaited = false;
  // It looks once more after it has sent something, and ahead of its first message: the end that it
  // announces, or that it finds alone, is one that it sees then.
  bool looks_again = true;
  int meeting = 0;  // the number of that in which it is, from 1
  // Not the actor's suspension, which would hold up its messages, too.
  simgrid::s4u::SemaphorePtr has_come = simgrid::s4u::Semaphore::create(0);
};

// By their numbers in every communicator: there is one, and its copies.
std::map<int, mailbox>& mailboxes() {
  static std::map<int, mailbox> all;
  return all;
}
mailbox& mailbox_of(int rank) { return mailboxes()[rank]; }

void wake(mailbox& its) {
  if (std::exchange(its.is_awaited, false)) {
    its.has_come->release();
  }
}

void sleep_unless_unread(mailbox& own) {
  if (own.unread == 0) {
    own.is_awaited = true;
    own.has_come->acquire();
  }
}

// How many ranks have come to all meetings so far, and how many are in one.
int arrivals = 0;
int ranks = 1;

bool has_met(const mailbox& own) { return arrivals >= own.meeting * ranks; }

// What a request of MPI_Ibarrier points to.
char meeting_request = 0;

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const int error = PMPI_Issend(buf, count, datatype, dest, tag, comm, request);
  mailbox_of(own_rank()).looks_again = true;
  mailbox& its = mailbox_of(dest);
  ++its.unread;
  wake(its);
  return error;
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int src, int tag, MPI_Comm comm,
             MPI_Status* status) {
  --mailbox_of(own_rank()).unread;
  return PMPI_Recv(buf, count, datatype, src, tag, comm, status);
}

// What std::this_thread::yield calls, which our loop does when it has no work.
extern "C" int sched_yield() noexcept {
  mailbox& own = mailbox_of(own_rank());
  if (!std::exchange(own.looks_again, false)) {
    sleep_unless_unread(own);
  }
  return 0;
}

// SimGrid's barrier of n ranks has a rank that tests n requests at each look. This one takes no time.
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  PMPI_Comm_size(comm, &ranks);
  mailbox& own = mailbox_of(own_rank());
  ++own.meeting;
  ++arrivals;
  if (has_met(own)) {
    for (auto& [rank, each] : mailboxes()) {
      wake(each);
    }
  }
  *request = reinterpret_cast<MPI_Request>(&meeting_request);
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (*request != reinterpret_cast<MPI_Request>(&meeting_request)) {
    return PMPI_Test(request, flag, status);
  }
  mailbox& own = mailbox_of(own_rank());
  if (!has_met(own)) {
    sleep_unless_unread(own);
  }
  *flag = has_met(own) ? 1 : 0;
  if (*flag != 0) {
    *request = MPI_REQUEST_NULL;
  }
  return MPI_SUCCESS;
}

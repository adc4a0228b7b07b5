// MPI's calls as a program sees them that is linked with this: messages come late, those of different
// ranks in any order, and sends are known to have ended late. All within MPI's rules: messages of one
// rank stay in their order. The environment variable FINEGRAIN_DISORDER is the seed.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <thread>

namespace {

std::minstd_rand& chance() {
  static std::minstd_rand numbers = [] {
    const char* const seed = std::getenv("FINEGRAIN_DISORDER");
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return std::minstd_rand{static_cast<std::uint32_t>(std::atoi(seed != nullptr ? seed : "1")) *
                                64 +
                            static_cast<std::uint32_t>(rank)};
  }();
  return numbers;
}

unsigned below(unsigned most) { return static_cast<unsigned>(chance()()) % most; }

// How many calls are to find nothing. Now and then a rank is as if it had been stopped for a while.
unsigned looks_in_vain = 0;

bool looks_in_vain_again() {
  if (looks_in_vain == 0) {
    looks_in_vain = below(200) == 0 ? below(500) : below(3);
    return false;
  }
  --looks_in_vain;
  std::this_thread::yield();
  return true;
}

}  // namespace

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  *flag = 0;
  if (looks_in_vain_again()) {
    return MPI_SUCCESS;
  }
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  const unsigned first = below(static_cast<unsigned>(ranks));
  for (unsigned each = 0; source == MPI_ANY_SOURCE && each != static_cast<unsigned>(ranks);
       ++each) {
    const auto from = static_cast<int>((first + each) % static_cast<unsigned>(ranks));
    const int error = PMPI_Iprobe(from, tag, comm, flag, status);
    if (error != MPI_SUCCESS || *flag != 0) {
      return error;
    }
  }
  return source == MPI_ANY_SOURCE ? MPI_SUCCESS : PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 0;
  return below(3) != 0 ? MPI_SUCCESS : PMPI_Test(request, flag, status);
}

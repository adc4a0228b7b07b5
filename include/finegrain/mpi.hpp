// Global load balancing over MPI, and the pool on which each rank works. Not part of finegrain.hpp; it
// needs MPI 3: link finegrain::mpi.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/mpi/bag.hpp"
#include "finegrain/mpi/run.hpp"
#include "finegrain/pool.hpp"

// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiles/blas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>

#include "kernels/tiles/tile_program.hpp"

#ifndef FINEGRAIN_OPENBLAS_PATH
#error "the build names the OpenBLAS to load"
#endif

namespace fg::bench::tiles {
namespace {

// Fortran's interface: everything by address, a matrix with its leading dimension. Without the
// lengths of the character arguments, which OpenBLAS, written in C, ignores.
using text = const char*;
using number = const int*;
using factor = const double*;
using operand = const double*;
using potrf_call = void (*)(text uplo, number n, double* a, number lda, int* info);
using trsm_call = void (*)(text side, text uplo, text trans, text diag, number m, number n,
                           factor alpha, operand a, number lda, double* b, number ldb);
using syrk_call = void (*)(text uplo, text trans, number n, number k, factor alpha, operand a,
                           number lda, factor beta, double* c, number ldc);
using gemm_call = void (*)(text transa, text transb, number m, number n, number k, factor alpha,
                           operand a, number lda, operand b, number ldb, factor beta, double* c,
                           number ldc);

constexpr double kOne = 1;
constexpr double kMinusOne = -1;

class blas {
 public:
  static const blas& loaded() {
    static const blas only;
    return only;
  }

  std::string name;
  potrf_call potrf;
  trsm_call trsm;
  syrk_call syrk;
  gemm_call gemm;

 private:
  blas() : library_{open()} {
    name = find<char* (*)()>("openblas_get_config")();
    constexpr int kPosixThreads = 1;  // returned by openblas_get_parallel
    if (find<int (*)()>("openblas_get_parallel")() != kPosixThreads ||
        find<int (*)()>("openblas_get_num_threads")() != 1) {
      throw std::runtime_error("not the OpenBLAS with POSIX threads, or not on one: " + name);
    }
    potrf = find<potrf_call>("dpotrf_");
    trsm = find<trsm_call>("dtrsm_");
    syrk = find<syrk_call>("dsyrk_");
    gemm = find<gemm_call>("dgemm_");
  }

  static void* open() {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
      setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    }
#endif
    void* library = dlopen(FINEGRAIN_OPENBLAS_PATH, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {  // a packed lab has it beside its other libraries
      library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) {
      throw std::runtime_error("there is no OpenBLAS (Debian: libopenblas0-pthread) at "  //
                               FINEGRAIN_OPENBLAS_PATH);
    }
    return library;
  }

  template <class Function>
  [[nodiscard]] Function find(const char* symbol) const {
    void* const found = dlsym(library_, symbol);
    if (found == nullptr) {
      throw std::runtime_error(FINEGRAIN_OPENBLAS_PATH " has no " + std::string{symbol});
    }
    return reinterpret_cast<Function>(found);
  }

  void* library_;  // never closed
};

}  // namespace

std::string load_blas() { return blas::loaded().name; }

void run(const program& whole, const task& one) noexcept {
  const blas& call = blas::loaded();
  const tile& c = whole.tiles[one.target];
  const tile& a = whole.tiles[one.operand[0]];
  const tile& b = whole.tiles[one.operand[1]];
  int info = 0;
  switch (one.what) {
    case kernel::potrf:
      call.potrf("L", &c.rows, c.data, &c.rows, &info);
      break;
    case kernel::trsm:
      call.trsm("R", "L", "T", "N", &c.rows, &c.columns, &kOne, a.data, &a.rows, c.data, &c.rows);
      break;
    case kernel::syrk:
      call.syrk("L", "N", &c.rows, &a.columns, &kMinusOne, a.data, &a.rows, &kOne, c.data, &c.rows);
      break;
    case kernel::gemm:
      call.gemm("N", "T", &c.rows, &c.columns, &a.columns, &kMinusOne, a.data, &a.rows, b.data,
                &b.rows, &kOne, c.data, &c.rows);
      break;
  }
}

void factor_whole(std::span<double> matrix, int n) {
  int info = 0;
  blas::loaded().potrf("L", &n, matrix.data(), &n, &info);
  if (info != 0) {
    throw std::runtime_error("the matrix is not positive definite");
  }
}

void update_whole(std::span<const double> a, std::span<double> c, int n) noexcept {
  blas::loaded().syrk("L", "N", &n, &n, &kMinusOne, a.data(), &n, &kOne, c.data(), &n);
}

}  // namespace fg::bench::tiles

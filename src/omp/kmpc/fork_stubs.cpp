// The two variadic entry points. They are passed on with the caller's own arguments and return
// address, which C++ cannot do: the runtime below reports to a tool where the region was called
// from.
// SPDX-License-Identifier: Apache-2.0
#include "../next_function.hpp"
#include "../takeover.hpp"
#include "kmpc.hpp"
#include "regions.hpp"

namespace fg::omp::kmpc {
namespace {

fork* target_of(const char* name, fork* taken_over) noexcept {
  return is_passive() ? reinterpret_cast<fork*>(find_next(name)) : taken_over;
}

}  // namespace
}  // namespace fg::omp::kmpc

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
extern "C" {

// The stubs' jump targets; null until the first call. Plain aligned words, to which all threads
// that make a first call write the same value.
__attribute__((visibility("hidden"))) fg::omp::kmpc::fork* fg_omp_fork_call_target = nullptr;
__attribute__((visibility("hidden"))) fg::omp::kmpc::fork* fg_omp_fork_teams_target = nullptr;

__attribute__((visibility("hidden"))) fg::omp::kmpc::fork* fg_omp_resolve_fork_call() {
  fg_omp_fork_call_target = fg::omp::kmpc::target_of("__kmpc_fork_call", &fg::omp::kmpc::fork_call);
  return fg_omp_fork_call_target;
}
__attribute__((visibility("hidden"))) fg::omp::kmpc::fork* fg_omp_resolve_fork_teams() {
  fg_omp_fork_teams_target =
      fg::omp::kmpc::target_of("__kmpc_fork_teams", &fg::omp::kmpc::fork_teams);
  return fg_omp_fork_teams_target;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// A stub jumps to its target with all arguments untouched. The first call saves the registers that
// hold arguments while it finds the target.
#if defined(__x86_64__)

#define FINEGRAIN_OMP_STUB(name, target, resolve) \
  asm(".text\n"                                   \
      ".p2align 4\n"                              \
      ".globl " name                              \
      "\n"                                        \
      ".type " name ", @function\n" name          \
      ":\n"                                       \
      ".cfi_startproc\n"                          \
      "endbr64\n"                                 \
      "movq " target                              \
      "(%rip), %r11\n"                            \
      "testq %r11, %r11\n"                        \
      "je 1f\n"                                   \
      "jmp *%r11\n"                               \
      "1:\n"                                      \
      "pushq %rax\n"                              \
      "pushq %rdi\n"                              \
      "pushq %rsi\n"                              \
      "pushq %rdx\n"                              \
      "pushq %rcx\n"                              \
      "pushq %r8\n"                               \
      "pushq %r9\n"                               \
      ".cfi_adjust_cfa_offset 56\n"               \
      "call " resolve                             \
      "\n"                                        \
      "movq %rax, %r11\n"                         \
      "popq %r9\n"                                \
      "popq %r8\n"                                \
      "popq %rcx\n"                               \
      "popq %rdx\n"                               \
      "popq %rsi\n"                               \
      "popq %rdi\n"                               \
      "popq %rax\n"                               \
      ".cfi_adjust_cfa_offset -56\n"              \
      "jmp *%r11\n"                               \
      ".cfi_endproc\n"                            \
      ".size " name ", .-" name "\n")

#elif defined(__aarch64__)

#define FINEGRAIN_OMP_STUB(name, target, resolve) \
  asm(".text\n"                                   \
      ".p2align 4\n"                              \
      ".globl " name                              \
      "\n"                                        \
      ".type " name ", %function\n" name          \
      ":\n"                                       \
      ".cfi_startproc\n"                          \
      "hint #34\n"                                \
      "adrp x16, " target                         \
      "\n"                                        \
      "ldr x16, [x16, :lo12:" target              \
      "]\n"                                       \
      "cbz x16, 1f\n"                             \
      "br x16\n"                                  \
      "1:\n"                                      \
      "stp x29, x30, [sp, #-80]!\n"               \
      ".cfi_adjust_cfa_offset 80\n"               \
      "stp x0, x1, [sp, #16]\n"                   \
      "stp x2, x3, [sp, #32]\n"                   \
      "stp x4, x5, [sp, #48]\n"                   \
      "stp x6, x7, [sp, #64]\n"                   \
      "bl " resolve                               \
      "\n"                                        \
      "mov x16, x0\n"                             \
      "ldp x0, x1, [sp, #16]\n"                   \
      "ldp x2, x3, [sp, #32]\n"                   \
      "ldp x4, x5, [sp, #48]\n"                   \
      "ldp x6, x7, [sp, #64]\n"                   \
      "ldp x29, x30, [sp], #80\n"                 \
      ".cfi_adjust_cfa_offset -80\n"              \
      "br x16\n"                                  \
      ".cfi_endproc\n"                            \
      ".size " name ", .-" name "\n")

#else
#error "the OpenMP drop-in has no fork stub for this processor"
#endif

// Emitted for a parallel construct; returns when all threads have run the body.
FINEGRAIN_OMP_STUB("__kmpc_fork_call", "fg_omp_fork_call_target", "fg_omp_resolve_fork_call");
// Emitted for a teams construct on the host; returns when all teams have run the body.
FINEGRAIN_OMP_STUB("__kmpc_fork_teams", "fg_omp_fork_teams_target", "fg_omp_resolve_fork_teams");

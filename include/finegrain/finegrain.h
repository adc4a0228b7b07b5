/** @file
 * Everything that finegrain offers to C programs (C99), and to those that want a stable binary
 * interface. Link finegrain::c. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "finegrain/version.h"

#if defined(_WIN32)
#define FINEGRAIN_API
#else
#define FINEGRAIN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define FINEGRAIN_NOEXCEPT noexcept
extern "C" {
#else
#define FINEGRAIN_NOEXCEPT
#endif

/* ---- in general ----
 *
 * A handle is made by fg_..._create and ended by fg_..._destroy, which takes NULL, too. Which
 * thread may call what is said at each function, as are memory ordering and cost where they are not
 * those of the C++ class behind it (finegrain/relic/relic.hpp, pool/pool.hpp, pool/task_group.hpp).
 *
 * Functions that can fail return FG_OK or why not, and then have changed nothing unless they say
 * so; what they write through a pointer is written with FG_OK only. No exception leaves them.
 * Structures begin with their size, which FG_..._INIT sets: members may be added behind the others,
 * and a program and a library of different versions then leave alone what one of them lacks. A
 * null pointer where there has to be an object is FG_INVALID_ARGUMENT. A call from a wrong thread
 * is a defect of the program: it ends it with one line in a library that was built with debug
 * checks, and is undefined otherwise. */

/* NOLINTBEGIN(modernize-use-using): C has no other */

typedef enum fg_status {
  FG_OK = 0,
  FG_INVALID_ARGUMENT = 1, /**< a null pointer, a name that does not exist, a number out of range */
  FG_NO_MEMORY = 2,
  FG_QUEUE_FULL = 3,    /**< of fg_relic_try_submit: later there may be room */
  FG_SYSTEM_ERROR = 4,  /**< the system refused: a CPU that can not be used */
  FG_NOT_SUPPORTED = 5, /**< the processor lacks what was asked for */
  FG_TASK_THREW = 6,    /**< a task written in C++ has thrown; it has run nevertheless */
  FG_INTERNAL_ERROR = 7
} fg_status;

/** What an fg_status means, one line, static; of other numbers as well. Any thread. */
FINEGRAIN_API const char* fg_strerror(int status) FINEGRAIN_NOEXCEPT;

/** Why the calling thread's last failed call failed, one line: more than fg_strerror where there is
 * more to say. Valid until that thread's next failed call. Empty before the first one. */
FINEGRAIN_API const char* fg_last_error(void) FINEGRAIN_NOEXCEPT;

/** The library's version, as FINEGRAIN_VERSION is the headers'. Static. Any thread. */
FINEGRAIN_API const char* fg_version(void) FINEGRAIN_NOEXCEPT;

/** A task, or a branch: is called once with the pointer that came with it. */
typedef void (*fg_routine)(void* arguments);

/** A piece of a loop: the iterations begin, ..., end - 1, at least one. */
typedef void (*fg_loop_body)(void* arguments, size_t begin, size_t end);

/** What one thread knows of one call site of fg_relic_fork_join or fg_fork_join_fine, or of
 * fg_relic_parallel_for: whether handing over paid there. Zero before its first use, one per thread
 * and place, never shared by two kinds of calls:
 *
 *     static FG_THREAD_LOCAL fg_site site;
 */
typedef struct fg_site {
  uint64_t state[48];
} fg_site;

#if defined(__cplusplus)
#define FG_THREAD_LOCAL thread_local
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define FG_THREAD_LOCAL _Thread_local
#elif defined(__GNUC__)
#define FG_THREAD_LOCAL __thread
#elif defined(_MSC_VER)
#define FG_THREAD_LOCAL __declspec(thread)
#endif

/** How the system shares CPUs between threads. A thread of a real-time class (FG_FIFO,
 * FG_ROUND_ROBIN) that looks for work keeps its CPU from all others as long as its spin budget
 * lasts. */
typedef enum fg_scheduling_class {
  FG_INHERIT = 0, /**< as the thread that makes ours */
  FG_NORMAL = 1,
  FG_BATCH = 2,
  FG_IDLE = 3,
  FG_FIFO = 4,
  FG_ROUND_ROBIN = 5
} fg_scheduling_class;

/* ---- relic: one assistant thread beside the calling one ---- */

typedef struct fg_relic fg_relic;

/** How to set up a relic: begin with FG_RELIC_OPTIONS_INIT. */
typedef struct fg_relic_options {
  size_t size;            /**< sizeof(fg_relic_options) */
  int assistant_cpu;      /**< the CPU to tie the assistant to; -1: the relic chooses */
  int64_t spin_budget_us; /**< how long an assistant without work looks for some before it sleeps */
  int64_t hinted_budget_us; /**< the same after fg_relic_wake_up_hint */
  int scheduling; /**< an fg_scheduling_class, of the assistant: fg_relic_scheduling_refusal */
  int priority;   /**< of a real-time class; 0: the lowest */
  const char* thread_name; /**< as debuggers show it, 15 characters; NULL: fg-relic */
} fg_relic_options;

#define FG_RELIC_OPTIONS_INIT {sizeof(fg_relic_options), -1, 200, 100000, FG_INHERIT, 0, NULL}

/** Where the two threads of a relic run: begin with FG_PLACEMENT_INIT. */
typedef struct fg_placement {
  size_t size;          /**< sizeof(fg_placement) */
  int main_cpu;         /**< -1 if the system does not tell */
  int assistant_cpu;    /**< -1: there is none, tasks run inline */
  const char* nearness; /**< "smt_sibling", "shared_l2", "shared_l3", "same_package",
                           "other_package"; static */
  const char*
      reason; /**< one line: why there, or why inline; valid until the relic's next function */
} fg_placement;

#define FG_PLACEMENT_INIT {sizeof(fg_placement), -1, -1, NULL, NULL}

/** What a relic has done since its start: begin with FG_RELIC_COUNTERS_INIT. */
typedef struct fg_relic_counters {
  size_t size;            /**< sizeof(fg_relic_counters) */
  uint64_t tasks;         /**< run by the assistant; with those submitted and not finished */
  uint64_t tasks_inlined; /**< run by the main thread instead */
  uint64_t worked_ns;     /**< CPU time of the assistant without spun_ns */
  uint64_t spun_ns;       /**< looking for work */
  uint64_t sleeps;        /**< times that the assistant fell asleep */
  uint64_t wake_ups;      /**< times that the main thread woke it */
} fg_relic_counters;

#define FG_RELIC_COUNTERS_INIT {sizeof(fg_relic_counters), 0, 0, 0, 0, 0, 0}

/** Starts the assistant, awake; the calling thread becomes the relic's main thread, which alone may
 * call the functions below. `options` may be NULL. Where there can be no assistant tasks run at
 * once on the main thread (fg_relic_inline_reason), which is no error. FG_SYSTEM_ERROR:
 * `assistant_cpu` can not be used. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_relic_create(const fg_relic_options* options,
                                        fg_relic** relic) FINEGRAIN_NOEXCEPT;

/** Waits for all submitted tasks and ends the assistant. */
FINEGRAIN_API void fg_relic_destroy(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Submits routine(arguments): the assistant runs it, after all that were submitted before.
 * `arguments` has to stay valid until then. Waits while 128 tasks are unfinished; wakes a sleeping
 * assistant. What was written before is visible to the task. */
FINEGRAIN_API fg_status fg_relic_submit(fg_relic* relic, fg_routine routine,
                                        void* arguments) FINEGRAIN_NOEXCEPT;

/** The same, and FG_QUEUE_FULL in place of waiting. */
FINEGRAIN_API fg_status fg_relic_try_submit(fg_relic* relic, fg_routine routine,
                                            void* arguments) FINEGRAIN_NOEXCEPT;

/** Returns when all submitted tasks have finished; what they wrote is then visible. FG_TASK_THREW:
 * they have, too. */
FINEGRAIN_API fg_status fg_relic_wait(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Wakes the assistant some time before the next submit, and keeps it awake until
 * fg_relic_sleep_hint, or until it had no work for `hinted_budget_us`. */
FINEGRAIN_API fg_status fg_relic_wake_up_hint(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Lets the assistant sleep at once when it has finished what was submitted so far. */
FINEGRAIN_API fg_status fg_relic_sleep_hint(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Runs f(f_arguments) on the calling thread and g(g_arguments) beside it, and returns when both
 * have finished. On the assistant where that was measured to pay, by what `site` knows; NULL: on
 * the assistant each time. Any thread: on others than the main one both run there, and `f` may call
 * this on the same relic. */
FINEGRAIN_API fg_status fg_relic_fork_join(fg_relic* relic, fg_site* site, fg_routine f,
                                           void* f_arguments, fg_routine g,
                                           void* g_arguments) FINEGRAIN_NOEXCEPT;

/** Calls body(arguments, begin, end) for pieces of [first, last) until each iteration was in one,
 * on the calling thread and beside it on the assistant, and returns when all have. `grain`:
 * iterations of the smallest piece, 0: chosen. `site`, threads: as above. */
FINEGRAIN_API fg_status fg_relic_parallel_for(fg_relic* relic, fg_site* site, size_t first,
                                              size_t last, fg_loop_body body, void* arguments,
                                              size_t grain) FINEGRAIN_NOEXCEPT;

/** Why tasks run on the main thread, one line; empty if they do not. NULL for NULL. Valid as long
 * as the relic. */
FINEGRAIN_API const char* fg_relic_inline_reason(const fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Why the assistant does not have the scheduling class of the options, valid as long as the relic;
 * empty if it has. */
FINEGRAIN_API const char* fg_relic_scheduling_refusal(const fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** FG_INVALID_ARGUMENT: a structure whose `size` was not set. The main thread, both. */
FINEGRAIN_API fg_status fg_relic_get_placement(const fg_relic* relic,
                                               fg_placement* placement) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API fg_status fg_relic_get_counters(const fg_relic* relic,
                                              fg_relic_counters* counters) FINEGRAIN_NOEXCEPT;

/* ---- pool: many workers ---- */

typedef struct fg_pool fg_pool;

typedef enum fg_worker_placement {
  FG_ONE_PER_CORE = 0, /**< one CPU of each core, then none */
  FG_EVERY_CPU = 1,    /**< all CPUs, cores first, then their SMT siblings */
  FG_UNTIED = 2        /**< wherever the system puts them */
} fg_worker_placement;

/** Whether a pool ties its threads to CPUs. Never those of callers. */
typedef enum fg_worker_pinning {
  FG_PIN_DEFAULT = 0,   /**< FINEGRAIN_PINNING from the environment, or automatic */
  FG_PIN_AUTOMATIC = 1, /**< to CPUs that no other pool and no relic has; else not tied */
  FG_PIN_ALWAYS = 2,    /**< whoever else is tied there */
  FG_PIN_NEVER = 3      /**< the system puts them where it likes */
} fg_worker_pinning;

/** How to set up a pool: begin with FG_POOL_OPTIONS_INIT. */
typedef struct fg_pool_options {
  size_t size;             /**< sizeof(fg_pool_options) */
  size_t workers;          /**< with the caller of fg_pool_run; 0: as many as there are CPUs for */
  const char* policy;      /**< NULL: FINEGRAIN_POLICY from the environment, or private_deque */
  const char* wait;        /**< NULL: FINEGRAIN_WAIT from the environment, or spin_then_sleep */
  size_t queue_capacity;   /**< of policies whose queues are bounded; 0: their own */
  size_t help_stack_bytes; /**< the most stack that waiting workers may use to help with other
                              tasks; 0: a quarter of their threads' */
  int64_t spin_budget_us;  /**< how long a worker without work looks for some before it sleeps */
  int placement;           /**< an fg_worker_placement */
  int assistants;          /**< not 0: a relic a worker, where its core has a second CPU */
  int scheduling; /**< an fg_scheduling_class, of all but the caller: fg_pool_scheduling_refusal */
  int priority;   /**< of a real-time class; 0: the lowest */
  const char* thread_name; /**< the workers' numbers go behind it; NULL: fg-worker */
  int pinning;             /**< an fg_worker_pinning */
} fg_pool_options;

#define FG_POOL_OPTIONS_INIT                                                                   \
  {sizeof(fg_pool_options), 0, NULL, NULL, 0, 0, 200, FG_ONE_PER_CORE, 0, FG_INHERIT, 0, NULL, \
   FG_PIN_DEFAULT}

/** What a worker has done: begin with FG_WORKER_COUNTERS_INIT. */
typedef struct fg_worker_counters {
  size_t size;      /**< sizeof(fg_worker_counters) */
  uint64_t tasks;   /**< taken from a queue and run */
  uint64_t inlined; /**< run at once instead of being pushed: queue full, or stack deep */
  uint64_t steals;  /**< tasks got from other workers */
  uint64_t sleeps;
  uint64_t spun_ns;   /**< looking for tasks */
  uint64_t worked_ns; /**< CPU time of its thread without spun_ns; 0 of worker 0, which runs on
                         those of the callers of fg_pool_run */
} fg_worker_counters;

#define FG_WORKER_COUNTERS_INIT {sizeof(fg_worker_counters), 0, 0, 0, 0, 0, 0}

/** Starts the workers but for the first, which is the thread that calls fg_pool_run. `options` may
 * be NULL. Where the system refuses threads there are fewer (fg_pool_shortage).
 * FG_INVALID_ARGUMENT: no such policy or wait policy, or too large a queue; a wrong name in the
 * environment is a line on standard error, and the default. FG_NO_MEMORY. Any
 * thread. */
FINEGRAIN_API fg_status fg_pool_create(const fg_pool_options* options,
                                       fg_pool** pool) FINEGRAIN_NOEXCEPT;

/** Waits until everything posted has run, and what that posted in its turn, then ends the workers.
 * Any thread, but no other function may run. */
FINEGRAIN_API void fg_pool_destroy(fg_pool* pool) FINEGRAIN_NOEXCEPT;

/** Runs routine(arguments) as a worker: inside of it the functions for workers share their work.
 * Any number of threads may call it at once; the fifth one that is inside, and the second one under
 * a policy other than "private_deque", leaves the routine to the pool's threads and waits. A worker
 * of this pool just calls it. FG_TASK_THREW.
 */
FINEGRAIN_API fg_status fg_pool_run(fg_pool* pool, fg_routine routine,
                                    void* arguments) FINEGRAIN_NOEXCEPT;

/** Leaves routine(arguments) to the pool's threads and returns at once. Any thread. It begins when
 * one of them has nothing else to do, within a millisecond where the system gives a spare one a
 * CPU; never on a worker that waits. An exception that leaves the routine ends the program.
 * FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_pool_post(fg_pool* pool, fg_routine routine,
                                     void* arguments) FINEGRAIN_NOEXCEPT;

/** Any thread, these; 0 and NULL for NULL. The strings are valid as long as the pool. */
FINEGRAIN_API size_t fg_pool_size(const fg_pool* pool) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API size_t fg_pool_queue_capacity(const fg_pool* pool)
    FINEGRAIN_NOEXCEPT; /**< 0: they grow */
FINEGRAIN_API const char* fg_pool_policy(const fg_pool* pool) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API const char* fg_pool_wait_policy(const fg_pool* pool) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API const char* fg_pool_shortage(const fg_pool* pool)
    FINEGRAIN_NOEXCEPT; /**< why fewer; empty: not */
FINEGRAIN_API const char* fg_pool_scheduling_refusal(const fg_pool* pool)
    FINEGRAIN_NOEXCEPT; /**< why not the scheduling class of the options; empty: it is */

/** Of worker `worker` < fg_pool_size: the CPU that it is tied to, -1 if it is not, and what it has
 * done. Requires: no call of fg_pool_run meanwhile. FG_INVALID_ARGUMENT: no such worker, or a
 * structure whose `size` was not set. */
FINEGRAIN_API fg_status fg_pool_get_cpu(const fg_pool* pool, size_t worker,
                                        int* cpu) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API fg_status fg_pool_get_counters(const fg_pool* pool, size_t worker,
                                             fg_worker_counters* counters) FINEGRAIN_NOEXCEPT;

/* ---- for workers, inside of fg_pool_run and of tasks; on other threads everything runs there, in
 * order ---- */

/** Runs f(f_arguments) here and g(g_arguments) beside it, on whichever worker takes it first, and
 * returns when both have finished. May be nested. FG_TASK_THREW: both have run. */
FINEGRAIN_API fg_status fg_fork_join(fg_routine f, void* f_arguments, fg_routine g,
                                     void* g_arguments) FINEGRAIN_NOEXCEPT;

/** The same on the calling worker's own core, by its assistant; for pools with `assistants`, and
 * elsewhere both run here. `site`: as fg_relic_fork_join. */
FINEGRAIN_API fg_status fg_fork_join_fine(fg_pool* pool, fg_site* site, fg_routine f,
                                          void* f_arguments, fg_routine g,
                                          void* g_arguments) FINEGRAIN_NOEXCEPT;

typedef enum fg_partition {
  FG_LAZY = 0,    /**< halved whenever somebody wants work */
  FG_DYNAMIC = 1, /**< pieces of one grain, from a common counter */
  FG_FIXED = 2    /**< one piece a worker, of equal length */
} fg_partition;

/** Calls body(arguments, begin, end) for pieces of [first, last) until each iteration was in one,
 * on the workers of the calling thread's pool, and returns when all have. `partition`: an
 * fg_partition; `grain`: iterations of the smallest piece, 0: chosen. */
FINEGRAIN_API fg_status fg_parallel_for(size_t first, size_t last, fg_loop_body body,
                                        void* arguments, int partition,
                                        size_t grain) FINEGRAIN_NOEXCEPT;

/** Tasks that are waited for together. The worker on which a group was made waits for it and
 * destroys it. */
typedef struct fg_task_group fg_task_group;

FINEGRAIN_API fg_status fg_task_group_create(fg_task_group** group) FINEGRAIN_NOEXCEPT;

/** Waits. On the group's worker. */
FINEGRAIN_API void fg_task_group_destroy(fg_task_group* group) FINEGRAIN_NOEXCEPT;

/** Has routine(arguments) run some time before fg_task_group_wait returns, on any worker; not if
 * the group is cancelled. On the group's worker, or in a task of the group. What was written before
 * is visible to the task. */
FINEGRAIN_API fg_status fg_task_group_spawn(fg_task_group* group, fg_routine routine,
                                            void* arguments) FINEGRAIN_NOEXCEPT;

/** Runs tasks until those of this group have finished; what they wrote is then visible.
 * FG_TASK_THREW: one has thrown, which has cancelled the group. Afterwards the group is as new. On
 * the group's worker. */
FINEGRAIN_API fg_status fg_task_group_wait(fg_task_group* group) FINEGRAIN_NOEXCEPT;

/** Tasks that have not begun are dropped. On the group's worker, or in a task of the group, as the
 * next one. */
FINEGRAIN_API fg_status fg_task_group_cancel(fg_task_group* group) FINEGRAIN_NOEXCEPT;

/** 1 if the group is cancelled, 0 if not, or for NULL. */
FINEGRAIN_API int fg_task_group_is_cancelled(const fg_task_group* group) FINEGRAIN_NOEXCEPT;

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

/** @file
 * The C interface of finegrain (C99), also for programs that need a stable binary interface. Link
 * finegrain::c. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "finegrain/version.h"

#if defined(_WIN32) && defined(FINEGRAIN_BUILDS_C) /* the library itself */
#define FINEGRAIN_API __declspec(dllexport)
#elif defined(_WIN32)
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
 * fg_..._create makes a handle and fg_..._destroy, which also accepts NULL, destroys it. Each
 * function says which thread may call it. Memory ordering and cost are those of the C++ class that
 * it wraps (finegrain/relic/relic.hpp, pool/pool.hpp, pool/task_group.hpp, graph/graph.hpp,
 * pipeline/pipeline.hpp) unless stated otherwise.
 *
 * Functions that can fail return FG_OK or the reason. If they fail they have no effect unless
 * stated otherwise, and write through a pointer only with FG_OK. They throw no exceptions.
 * Structures begin with their size, which FG_..._INIT sets: members may be appended, and a program
 * and a library of different versions then ignore the members that one of them lacks. A null
 * pointer in place of a required object is FG_INVALID_ARGUMENT. A call from the wrong thread is a
 * programming error: a library built with debug checks prints one line and ends the program;
 * otherwise the behaviour is undefined. */

/* NOLINTBEGIN(modernize-use-using): C has no other */

typedef enum fg_status {
  FG_OK = 0,
  FG_INVALID_ARGUMENT = 1, /**< a null pointer, a name that does not exist, a number out of range */
  FG_NO_MEMORY = 2,
  FG_QUEUE_FULL = 3,    /**< from fg_relic_try_submit: there may be room later */
  FG_SYSTEM_ERROR = 4,  /**< the system refused: a CPU that cannot be used */
  FG_NOT_SUPPORTED = 5, /**< the processor lacks the requested feature */
  FG_TASK_THREW = 6,    /**< a task written in C++ has thrown; it has run nevertheless */
  FG_INTERNAL_ERROR = 7,
  FG_CANCELLED = 8 /**< from fg_graph_run and its kind: fg_graph_cancel has ended the run early */
} fg_status;

/** Returns the meaning of an fg_status, or of any other number, as one static line. Any thread. */
FINEGRAIN_API const char* fg_strerror(int status) FINEGRAIN_NOEXCEPT;

/** Returns why the calling thread's last failed call failed, as one line, in more detail than
 * fg_strerror if available. Valid until that thread's next failed call. Empty before the first. */
FINEGRAIN_API const char* fg_last_error(void) FINEGRAIN_NOEXCEPT;

/** Returns the library's version; FINEGRAIN_VERSION is that of the headers. Static. Any thread. */
FINEGRAIN_API const char* fg_version(void) FINEGRAIN_NOEXCEPT;

/** A task, a branch, or a node of a graph. Called with the pointer that was passed with it: a node
 * once in each run, all others once. */
typedef void (*fg_routine)(void* arguments);

/** The most bytes that a task of fg_relic_submit_values gets, and gives, by value. */
#define FG_VALUE_BYTES 32

/** A task with values: reads its arguments and writes its result, at different addresses, never NULL,
 * aligned for all types whose alignment is at most 8. Called once. */
typedef void (*fg_value_routine)(const void* arguments, void* result);

/** A piece of a loop: the iterations begin, ..., end - 1, at least one. */
typedef void (*fg_loop_body)(void* arguments, size_t begin, size_t end);

/** Per-thread controller for one call site of fg_relic_fork_join or fg_fork_join_fine, or of
 * fg_relic_parallel_for: it remembers whether handing over paid there. Zero before its first use,
 * one per thread and call site, never shared by two kinds of calls:
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

/** Scheduling class of a thread. A thread of a real-time class (FG_FIFO, FG_ROUND_ROBIN) that looks
 * for work keeps all other threads off its CPU as long as its spin budget lasts. */
typedef enum fg_scheduling_class {
  FG_INHERIT = 0, /**< that of the creating thread */
  FG_NORMAL = 1,
  FG_BATCH = 2,
  FG_IDLE = 3,
  FG_FIFO = 4,
  FG_ROUND_ROBIN = 5
} fg_scheduling_class;

/* ---- relic: one assistant thread for the calling thread ---- */

typedef struct fg_relic fg_relic;

/** Options of a relic. Initialize with FG_RELIC_OPTIONS_INIT. */
typedef struct fg_relic_options {
  size_t size;       /**< sizeof(fg_relic_options) */
  int assistant_cpu; /**< the CPU to pin the assistant to; -1: the relic chooses */
  int64_t
      spin_budget_us; /**< how long an idle assistant looks for work before it sleeps, at most */
  int64_t hinted_budget_us; /**< the same after fg_relic_wake_up_hint */
  int scheduling; /**< the assistant's fg_scheduling_class: see fg_relic_scheduling_refusal */
  int priority;   /**< in a real-time class; 0: the lowest */
  const char* thread_name; /**< as debuggers show it, 15 characters; NULL: fg-relic */
  int main_helps; /**< not 0: waiting, the main thread runs what a sleeping assistant has not begun */
  double anticipation_share; /**< of a CPU, at most, to be awake before periodic tasks are due */
} fg_relic_options;

#define FG_RELIC_OPTIONS_INIT \
  {sizeof(fg_relic_options), -1, 200, 100000, FG_INHERIT, 0, NULL, 1, 0.05}

/** The CPUs of a relic's two threads. Initialize with FG_PLACEMENT_INIT. */
typedef struct fg_placement {
  size_t size;          /**< sizeof(fg_placement) */
  int main_cpu;         /**< -1 if the system does not report it */
  int assistant_cpu;    /**< -1: there is none, tasks run inline */
  const char* nearness; /**< "smt_sibling", "shared_l2", "shared_l3", "same_package",
                           "other_package"; static */
  const char*
      reason; /**< one line: why there, or why inline; valid until the relic's next function */
} fg_placement;

#define FG_PLACEMENT_INIT {sizeof(fg_placement), -1, -1, NULL, NULL}

/** Counters of a relic since its start. Initialize with FG_RELIC_COUNTERS_INIT. */
typedef struct fg_relic_counters {
  size_t size;             /**< sizeof(fg_relic_counters) */
  uint64_t tasks;          /**< run by the assistant, including those not yet finished */
  uint64_t tasks_inlined;  /**< run by the main thread instead */
  uint64_t worked_ns;      /**< CPU time of the assistant without spun_ns */
  uint64_t spun_ns;        /**< time spent looking for work */
  uint64_t sleeps;         /**< times that the assistant went to sleep */
  uint64_t wake_ups;       /**< times that the main thread woke it */
  uint64_t early_wake_ups; /**< times that it woke by itself before periodic tasks were due */
  uint64_t period_ns;      /**< the period of the tasks, as it has learned; 0: they have none */
} fg_relic_counters;

#define FG_RELIC_COUNTERS_INIT {sizeof(fg_relic_counters), 0, 0, 0, 0, 0, 0, 0, 0}

/** Starts the assistant, awake. The calling thread becomes the relic's main thread, which alone may
 * call the functions below. `options` may be NULL. If there can be no assistant, tasks run
 * immediately on the main thread (fg_relic_inline_reason), which is no error. FG_SYSTEM_ERROR:
 * `assistant_cpu` cannot be used. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_relic_create(const fg_relic_options* options,
                                        fg_relic** relic) FINEGRAIN_NOEXCEPT;

/** Waits for all submitted tasks and ends the assistant. */
FINEGRAIN_API void fg_relic_destroy(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Submits routine(arguments). The assistant runs it after all tasks submitted before, or the main
 * thread while it waits for a sleeping assistant (`main_helps`). `arguments`
 * must stay valid until then. Waits while 128 tasks are unfinished; wakes a sleeping assistant.
 * Writes before the call are visible to the task. */
FINEGRAIN_API fg_status fg_relic_submit(fg_relic* relic, fg_routine routine,
                                        void* arguments) FINEGRAIN_NOEXCEPT;

/** Like fg_relic_submit, but returns FG_QUEUE_FULL instead of waiting. */
FINEGRAIN_API fg_status fg_relic_try_submit(fg_relic* relic, fg_routine routine,
                                            void* arguments) FINEGRAIN_NOEXCEPT;

/** Like fg_relic_submit, but the task gets its arguments and gives its result by value. The first
 * `arguments_size` bytes at `arguments` are copied into the task, and may change at once.
 * `result_size` bytes of what the routine has written are copied to `result` by the calling thread,
 * at the latest in the next fg_relic_wait; until then nobody else may use `result`. Both travel in
 * the task's own cache line: the assistant fetches neither `arguments` nor `result`, each of which
 * takes about as long as an empty task. A size may be 0, and then its pointer NULL; FG_INVALID_ARGUMENT
 * for one above FG_VALUE_BYTES. If the routine throws, nothing is copied to `result`. */
FINEGRAIN_API fg_status fg_relic_submit_values(fg_relic* relic, fg_value_routine routine,
                                               const void* arguments, size_t arguments_size,
                                               void* result, size_t result_size) FINEGRAIN_NOEXCEPT;

/** Waits until all submitted tasks have finished, also with FG_TASK_THREW; their writes are then
 * visible, and their results are in place. */
FINEGRAIN_API fg_status fg_relic_wait(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Wakes the assistant ahead of the next submit, and keeps it awake until fg_relic_sleep_hint, or
 * until it has had no work for `hinted_budget_us`. */
FINEGRAIN_API fg_status fg_relic_wake_up_hint(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Lets the assistant sleep as soon as it has finished the tasks submitted so far. */
FINEGRAIN_API fg_status fg_relic_sleep_hint(fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Runs f(f_arguments) on the calling thread and g(g_arguments) in parallel, and returns when both
 * have finished. `g` runs on the assistant if `site` has measured that this pays; with NULL,
 * always. Any thread: on threads other than the main thread both run there. `f` may call this on
 * the same relic. */
FINEGRAIN_API fg_status fg_relic_fork_join(fg_relic* relic, fg_site* site, fg_routine f,
                                           void* f_arguments, fg_routine g,
                                           void* g_arguments) FINEGRAIN_NOEXCEPT;

/** Calls body(arguments, begin, end) for pieces that cover [first, last), each iteration once, on
 * the calling thread and in parallel on the assistant, and returns when all have finished. `grain`:
 * iterations of the smallest piece; 0: chosen automatically. `site`, threads: as above. */
FINEGRAIN_API fg_status fg_relic_parallel_for(fg_relic* relic, fg_site* site, size_t first,
                                              size_t last, fg_loop_body body, void* arguments,
                                              size_t grain) FINEGRAIN_NOEXCEPT;

/** Returns why tasks run on the main thread, as one line; empty if they do not. NULL for NULL.
 * Valid as long as the relic. */
FINEGRAIN_API const char* fg_relic_inline_reason(const fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Returns why the assistant does not have the scheduling class of the options; empty if it has.
 * Valid as long as the relic. */
FINEGRAIN_API const char* fg_relic_scheduling_refusal(const fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** Both on the main thread only. FG_INVALID_ARGUMENT: the structure's `size` was not set. */
FINEGRAIN_API fg_status fg_relic_get_placement(const fg_relic* relic,
                                               fg_placement* placement) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API fg_status fg_relic_get_counters(const fg_relic* relic,
                                              fg_relic_counters* counters) FINEGRAIN_NOEXCEPT;

/* ---- pool: many workers ---- */

typedef struct fg_pool fg_pool;

typedef enum fg_worker_placement {
  FG_ONE_PER_CORE = 0, /**< one CPU of each core, then none */
  FG_EVERY_CPU = 1,    /**< all CPUs, cores first, then their SMT siblings */
  FG_UNTIED = 2        /**< wherever the system schedules them */
} fg_worker_placement;

/** Whether a pool pins its threads to CPUs. It never pins callers' threads. */
typedef enum fg_worker_pinning {
  FG_PIN_DEFAULT = 0,   /**< FINEGRAIN_PINNING from the environment, or automatic */
  FG_PIN_AUTOMATIC = 1, /**< to CPUs that no other pool or relic uses; else not pinned */
  FG_PIN_ALWAYS = 2,    /**< even if other threads are pinned there */
  FG_PIN_NEVER = 3      /**< the system schedules them */
} fg_worker_pinning;

/** Options of a pool. Initialize with FG_POOL_OPTIONS_INIT. */
typedef struct fg_pool_options {
  size_t size;             /**< sizeof(fg_pool_options) */
  size_t workers;          /**< including the caller of fg_pool_run; 0: as many as CPUs allow */
  const char* policy;      /**< NULL: FINEGRAIN_POLICY from the environment, or private_deque */
  const char* wait;        /**< NULL: FINEGRAIN_WAIT from the environment, or spin_then_sleep */
  size_t queue_capacity;   /**< for policies with bounded queues; 0: the policy's default */
  size_t help_stack_bytes; /**< maximum stack that waiting workers may use to help with other
                              tasks; 0: a quarter of their threads' stack */
  int64_t spin_budget_us;  /**< how long an idle worker looks for work before it sleeps, at most */
  int placement;           /**< an fg_worker_placement */
  int assistants;          /**< not 0: one relic per worker, if its core has a second CPU */
  int scheduling; /**< fg_scheduling_class of all but the caller: see fg_pool_scheduling_refusal */
  int priority;   /**< in a real-time class; 0: the lowest */
  const char* thread_name; /**< the worker's number is appended; NULL: fg-worker */
  int pinning;             /**< an fg_worker_pinning */
} fg_pool_options;

#define FG_POOL_OPTIONS_INIT                                                                   \
  {sizeof(fg_pool_options), 0, NULL, NULL, 0, 0, 200, FG_ONE_PER_CORE, 0, FG_INHERIT, 0, NULL, \
   FG_PIN_DEFAULT}

/** Counters of a worker. Initialize with FG_WORKER_COUNTERS_INIT. */
typedef struct fg_worker_counters {
  size_t size;      /**< sizeof(fg_worker_counters) */
  uint64_t tasks;   /**< taken from a queue and run */
  uint64_t inlined; /**< run immediately instead of pushed: queue full, stack deep, or too short */
  uint64_t steals;  /**< tasks taken from other workers */
  uint64_t sleeps;
  uint64_t spun_ns;   /**< time spent looking for tasks */
  uint64_t worked_ns; /**< CPU time of its thread without spun_ns; 0 for worker 0, which runs on
                         the threads of fg_pool_run's callers */
} fg_worker_counters;

#define FG_WORKER_COUNTERS_INIT {sizeof(fg_worker_counters), 0, 0, 0, 0, 0, 0}

/** Starts all workers except the first, which is the thread that calls fg_pool_run. `options` may
 * be NULL. If the system refuses threads there are fewer (fg_pool_shortage). FG_INVALID_ARGUMENT:
 * no such policy or wait policy, or too large a queue; for a wrong name in the environment it
 * prints a line on standard error and uses the default. FG_NO_MEMORY. Any thread. */
FINEGRAIN_API fg_status fg_pool_create(const fg_pool_options* options,
                                       fg_pool** pool) FINEGRAIN_NOEXCEPT;

/** Waits until all posted tasks have run, and those that they post in turn, then ends the workers.
 * Any thread, but no other function of the pool may be running. */
FINEGRAIN_API void fg_pool_destroy(fg_pool* pool) FINEGRAIN_NOEXCEPT;

/** Runs routine(arguments) as a worker: inside it the functions for workers share their work. Any
 * number of threads may call it at once. From the fifth concurrent caller on (from the second under
 * a policy other than "private_deque") the pool's threads run the routine while the caller waits. A
 * worker of this pool calls it directly. FG_TASK_THREW.
 */
FINEGRAIN_API fg_status fg_pool_run(fg_pool* pool, fg_routine routine,
                                    void* arguments) FINEGRAIN_NOEXCEPT;

/** Posts routine(arguments) to the pool's threads and returns immediately. Any thread. It starts
 * when one of them has nothing else to do, within a millisecond if the system gives a spare thread
 * a CPU; never on a worker that waits. An exception that leaves the routine ends the program.
 * FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_pool_post(fg_pool* pool, fg_routine routine,
                                     void* arguments) FINEGRAIN_NOEXCEPT;

/** These on any thread; 0 or NULL for NULL. The strings are valid as long as the pool. */
FINEGRAIN_API size_t fg_pool_size(const fg_pool* pool) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API size_t fg_pool_queue_capacity(const fg_pool* pool)
    FINEGRAIN_NOEXCEPT; /**< 0: they grow */
FINEGRAIN_API const char* fg_pool_policy(const fg_pool* pool) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API const char* fg_pool_wait_policy(const fg_pool* pool) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API const char* fg_pool_shortage(const fg_pool* pool)
    FINEGRAIN_NOEXCEPT; /**< why there are fewer workers; empty if there are not */
FINEGRAIN_API const char* fg_pool_scheduling_refusal(const fg_pool* pool)
    FINEGRAIN_NOEXCEPT; /**< why not the scheduling class of the options; empty if it is */

/** For worker `worker` < fg_pool_size: the CPU that it is pinned to, or -1, and its counters.
 * Requires: no concurrent call of fg_pool_run. FG_INVALID_ARGUMENT: no such worker, or the
 * structure's `size` was not set. */
FINEGRAIN_API fg_status fg_pool_get_cpu(const fg_pool* pool, size_t worker,
                                        int* cpu) FINEGRAIN_NOEXCEPT;
FINEGRAIN_API fg_status fg_pool_get_counters(const fg_pool* pool, size_t worker,
                                             fg_worker_counters* counters) FINEGRAIN_NOEXCEPT;

/* ---- for workers, inside fg_pool_run and tasks; on other threads everything runs sequentially on
 * the calling thread ---- */

/** Runs f(f_arguments) on the calling thread and g(g_arguments) in parallel, on the worker that
 * takes it first, and returns when both have finished. May be nested. FG_TASK_THREW: both have run.
 * */
FINEGRAIN_API fg_status fg_fork_join(fg_routine f, void* f_arguments, fg_routine g,
                                     void* g_arguments) FINEGRAIN_NOEXCEPT;

/** Like fg_fork_join, but on the calling worker's own core, by its assistant. For pools with
 * `assistants`; otherwise both run on the calling thread. `site`: as in fg_relic_fork_join. */
FINEGRAIN_API fg_status fg_fork_join_fine(fg_pool* pool, fg_site* site, fg_routine f,
                                          void* f_arguments, fg_routine g,
                                          void* g_arguments) FINEGRAIN_NOEXCEPT;

typedef enum fg_partition {
  FG_LAZY = 0,    /**< halved whenever another worker wants work */
  FG_DYNAMIC = 1, /**< pieces of one grain, from a shared counter */
  FG_FIXED = 2    /**< one piece per worker, of equal length */
} fg_partition;

/** Calls body(arguments, begin, end) for pieces that cover [first, last), each iteration once, on
 * the workers of the calling thread's pool, and returns when all have finished. `partition`: an
 * fg_partition; `grain`: iterations of the smallest piece; 0: chosen automatically. */
FINEGRAIN_API fg_status fg_parallel_for(size_t first, size_t last, fg_loop_body body,
                                        void* arguments, int partition,
                                        size_t grain) FINEGRAIN_NOEXCEPT;

/** A group of tasks that are waited for together. The worker that created the group waits for it
 * and destroys it. */
typedef struct fg_task_group fg_task_group;

FINEGRAIN_API fg_status fg_task_group_create(fg_task_group** group) FINEGRAIN_NOEXCEPT;

/** Waits for the group, then destroys it. On the group's worker. */
FINEGRAIN_API void fg_task_group_destroy(fg_task_group* group) FINEGRAIN_NOEXCEPT;

/** Spawns routine(arguments), which runs on any worker before fg_task_group_wait returns, unless
 * the group is cancelled. On the group's worker, or in a task of the group. Writes before the call
 * are visible to the task. */
FINEGRAIN_API fg_status fg_task_group_spawn(fg_task_group* group, fg_routine routine,
                                            void* arguments) FINEGRAIN_NOEXCEPT;

/** Runs tasks until those of this group have finished; their writes are then visible.
 * FG_TASK_THREW: one has thrown, which has cancelled the group. Afterwards the group can be reused.
 * On the group's worker. */
FINEGRAIN_API fg_status fg_task_group_wait(fg_task_group* group) FINEGRAIN_NOEXCEPT;

/** Cancels the group: tasks that have not started are dropped. This and the next function: on the
 * group's worker, or in a task of the group. */
FINEGRAIN_API fg_status fg_task_group_cancel(fg_task_group* group) FINEGRAIN_NOEXCEPT;

/** Returns 1 if the group is cancelled, 0 if not or for NULL. */
FINEGRAIN_API int fg_task_group_is_cancelled(const fg_task_group* group) FINEGRAIN_NOEXCEPT;

/* ---- graph: tasks of which some need others first, built once and run often ----
 *
 * One thread at a time may use a graph; it need not be the same one. While the graph runs neither
 * its nodes nor other threads may use it, except by fg_graph_cancel: they get FG_INVALID_ARGUMENT, if
 * it is noticed. The same is true of the graphs that are its parts, where it is noticed less often: a
 * part lives as long as the node that it is given to, and is not used while the graph around it runs.
 * What is changed in a part later changes the graph around it, too. */

typedef struct fg_graph fg_graph;

/** A choice: returns the number of the part that runs, from 0; with any other number none does. */
typedef size_t (*fg_choose_routine)(void* arguments);

/** Called before each round of a loop: returns 0 to end it. */
typedef int (*fg_again_routine)(void* arguments);

/** Adds nodes to `more`, which is empty, and which it must neither destroy nor keep. Returns FG_OK, or
 * why it could not: see fg_graph_add_growing. */
typedef fg_status (*fg_grow_routine)(void* arguments, fg_graph* more);

/** Makes a graph without nodes. FG_NO_MEMORY. Any thread. */
FINEGRAIN_API fg_status fg_graph_create(fg_graph** graph) FINEGRAIN_NOEXCEPT;

/** Any thread, but no other function of the graph may be running. */
FINEGRAIN_API void fg_graph_destroy(fg_graph* graph) FINEGRAIN_NOEXCEPT;

/** Adds a node, which calls routine(arguments) in each run. Nodes are numbered from 0 in the order
 * of their addition; `node` gets the number, or is NULL. `name` is for errors, fg_graph_explain and
 * fg_graph_dot, and is copied; NULL: the number is the name. FG_INVALID_ARGUMENT: no more nodes, or
 * bytes of names, are reserved. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_graph_add(fg_graph* graph, const char* name, fg_routine routine,
                                     void* arguments, size_t* node) FINEGRAIN_NOEXCEPT;

/** Adds a node in whose place all nodes of `part` run, as if they had been added here: it costs no run
 * of its own. One graph can be a part several times; its nodes are then called as often, at the same
 * time where no edges order them. A graph within itself is FG_INVALID_ARGUMENT from fg_graph_prepare
 * and the runs. Otherwise as fg_graph_add. */
FINEGRAIN_API fg_status fg_graph_add_graph(fg_graph* graph, const char* name, fg_graph* part,
                                           size_t* node) FINEGRAIN_NOEXCEPT;

/** Adds a node that calls choose(arguments), and in whose place the nodes of one of the `count` graphs
 * at `parts` run. Nodes that this one precedes begin in any case. The array is copied. Otherwise as
 * fg_graph_add_graph. */
FINEGRAIN_API fg_status fg_graph_add_choice(fg_graph* graph, const char* name,
                                            fg_choose_routine choose, void* arguments,
                                            fg_graph* const* parts, size_t count,
                                            size_t* node) FINEGRAIN_NOEXCEPT;

/** Adds a node that calls again(arguments) and runs `part`, in turn, as long as `again` does not return
 * 0. `part` learns by itself, and is shared where that pays, on a relic only while `graph` is not. If
 * it cannot run, as it is within itself or used by others, the run of `graph` ends with
 * FG_INVALID_ARGUMENT. Otherwise as fg_graph_add. */
FINEGRAIN_API fg_status fg_graph_add_loop(fg_graph* graph, const char* name, fg_again_routine again,
                                          void* arguments, fg_graph* part,
                                          size_t* node) FINEGRAIN_NOEXCEPT;

/** Adds a node that adds others in each run: it calls grow(arguments, more) and runs what that has
 * added to `more`. The node ends when these have ended. `more` has a reserve of `nodes`, `edges` and
 * `name_bytes` that is made now: see fg_graph_reserve. If `grow` returns another status than FG_OK,
 * for instance that of an fg_graph_add which has failed, no node of `more` begins and the run of
 * `graph` ends with that status, and with fg_last_error as `grow` has left it; so it does if the nodes
 * of `more` wait for each other. FG_INVALID_ARGUMENT: as fg_graph_add and fg_graph_reserve.
 * FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_graph_add_growing(fg_graph* graph, const char* name,
                                             fg_grow_routine grow, void* arguments, size_t nodes,
                                             size_t edges, size_t name_bytes,
                                             size_t* node) FINEGRAIN_NOEXCEPT;

/** Adds an edge: in each run node `before` ends before node `after` begins, which sees what it has
 * written. One that is there already counts once. FG_INVALID_ARGUMENT: no such node, or no more edges
 * are reserved. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_graph_add_edge(fg_graph* graph, size_t before,
                                          size_t after) FINEGRAIN_NOEXCEPT;

/** Takes the memory for so many nodes and edges, and for names of so many bytes in all. From now on no
 * more can be added. In turn changes and the runs after them allocate nothing, but for a first run on a
 * pool of more than two workers, and nodes that have parts or grow. FG_INVALID_ARGUMENT: the graph has
 * nodes, also removed ones, or it is a number of 2^32 or more. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_graph_reserve(fg_graph* graph, size_t nodes, size_t edges,
                                         size_t name_bytes) FINEGRAIN_NOEXCEPT;

/** Takes a node out, and its edges. The others keep their numbers, and its number is not given again
 * before fg_graph_clear. FG_INVALID_ARGUMENT: no such node. */
FINEGRAIN_API fg_status fg_graph_remove(fg_graph* graph, size_t node) FINEGRAIN_NOEXCEPT;

/** Takes an edge out. FG_INVALID_ARGUMENT: no such node, or no such edge. */
FINEGRAIN_API fg_status fg_graph_remove_edge(fg_graph* graph, size_t before,
                                             size_t after) FINEGRAIN_NOEXCEPT;

/** Takes all nodes out. The next one is number 0. Memory is kept, and a reserve. */
FINEGRAIN_API fg_status fg_graph_clear(fg_graph* graph) FINEGRAIN_NOEXCEPT;

/** Does now what the next run would do first, as there were changes: it allocates.
 * FG_INVALID_ARGUMENT: some nodes wait for each other, or a graph is a part of itself; fg_last_error
 * names them, in up to 255 characters. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_graph_prepare(fg_graph* graph) FINEGRAIN_NOEXCEPT;

/** Calls every node once, after all that precede it, on the calling thread, and returns when all
 * have ended; what they have written is then visible. It fails as fg_graph_prepare does before any
 * node begins. FG_TASK_THREW: a node has thrown. FG_CANCELLED: see fg_graph_cancel. Others: see
 * fg_graph_add_loop and fg_graph_add_growing. Whichever of them comes first drops the nodes that have
 * not begun; the graph can be run again. Runs that end
 * with FG_OK allocate nothing, but the first one and the first one after a change. */
FINEGRAIN_API fg_status fg_graph_run(fg_graph* graph) FINEGRAIN_NOEXCEPT;

/** The same on both threads of a relic, if that was measured to pay. Any thread: on others than the
 * main thread, and in tasks of the relic, all nodes run on the calling thread. Nodes may call
 * fg_relic_fork_join and fg_relic_parallel_for with the relic, but not the functions that submit or
 * wait: these could wait for the node itself. */
FINEGRAIN_API fg_status fg_graph_run_on_relic(fg_graph* graph, fg_relic* relic) FINEGRAIN_NOEXCEPT;

/** The same on the workers of a pool, if that was measured to pay. A calling thread that is none of
 * them becomes one for the run, as in fg_pool_run. Nodes may do what any task may. */
FINEGRAIN_API fg_status fg_graph_run_on_pool(fg_graph* graph, fg_pool* pool) FINEGRAIN_NOEXCEPT;

/** Requests that a run ends early: its nodes that have not begun are dropped, and it returns
 * FG_CANCELLED; what was written before the request is then visible. That is the present run or, if
 * all its nodes have begun, the next one: the request stays until a run has returned FG_CANCELLED.
 * Requests made until then may count as one. A run that returns FG_OK has dropped no node. To take
 * back a request that came too late, run the graph: no node begins. Nodes of the graph's parts are
 * dropped, too, and loops end. A request to a graph that only runs as a part of others does nothing to
 * them: it stays until a run of that graph itself. Any thread, also in nodes; returns immediately. */
FINEGRAIN_API fg_status fg_graph_cancel(fg_graph* graph) FINEGRAIN_NOEXCEPT;

/** Writes to `text` what is known about the graph, in several lines: whether the last relic or pool
 * shares it, the time of each node and its lane. For people; the form may change. Valid until the
 * graph's next fg_graph_explain or fg_graph_destroy. Fails as fg_graph_prepare. */
FINEGRAIN_API fg_status fg_graph_explain(fg_graph* graph, const char** text) FINEGRAIN_NOEXCEPT;

/** The same as a picture, in the language of Graphviz, valid until the graph's next fg_graph_dot or
 * fg_graph_destroy. */
FINEGRAIN_API fg_status fg_graph_dot(fg_graph* graph, const char** text) FINEGRAIN_NOEXCEPT;

/* ---- pipeline: values that pass through stages one after the other, several at once ----
 *
 * One thread at a time may use a pipeline; it need not be the same one. Its stages must not use it. */

typedef struct fg_pipeline fg_pipeline;

typedef enum fg_stage_mode {
  FG_SERIAL_IN_ORDER =
      0, /**< one token at a time, in the order in which the first stage made them */
  FG_SERIAL_OUT_OF_ORDER = 1, /**< one token at a time, in the order in which they come */
  FG_PARALLEL = 2             /**< any number of tokens at once */
} fg_stage_mode;

/** A stage. It gets what the stage before returned, `token`; the first one gets NULL, and returns NULL
 * at the end. What the last one returns is dropped. What a stage wrote is visible to the same token's
 * next stages, to later calls of a serial stage, and after the run to its caller. */
typedef void* (*fg_stage_routine)(void* arguments, void* token);

/** Makes a pipeline without stages. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_pipeline_create(fg_pipeline** pipeline) FINEGRAIN_NOEXCEPT;

/** Requires: it does not run. */
FINEGRAIN_API void fg_pipeline_destroy(fg_pipeline* pipeline) FINEGRAIN_NOEXCEPT;

/** Adds a stage, after all others; `mode` is an fg_stage_mode. FG_INVALID_ARGUMENT: no such mode, or a
 * first stage that is parallel. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_pipeline_add_stage(fg_pipeline* pipeline, int mode,
                                              fg_stage_routine routine,
                                              void* arguments) FINEGRAIN_NOEXCEPT;

/** Passes tokens through all stages, one after the other, on the calling thread, until the first stage
 * returns NULL. FG_INVALID_ARGUMENT: fewer than two stages. FG_NO_MEMORY: before any stage is called.
 * FG_TASK_THREW: a stage has thrown; tokens that were under way are dropped before their next stage.
 * The pipeline can be run again. Only the first run allocates, and one after a change or with another
 * number of tokens than the one before. */
FINEGRAIN_API fg_status fg_pipeline_run(fg_pipeline* pipeline) FINEGRAIN_NOEXCEPT;

/** The same on both threads of a relic, if that was measured to pay: the assistant calls the last
 * stages. There are at most `tokens` at once, and at most 32; 0: 16. Any thread: on others than the main
 * thread, and in tasks of the relic, all stages are called on the calling thread. Stages may call
 * fg_relic_fork_join and fg_relic_parallel_for with the relic, but not the functions that submit or
 * wait. */
FINEGRAIN_API fg_status fg_pipeline_run_on_relic(fg_pipeline* pipeline, fg_relic* relic,
                                                 size_t tokens) FINEGRAIN_NOEXCEPT;

/** The same on the workers of a pool, if that was measured to pay. There are at most `tokens` at once;
 * 0: 4 for each worker, at least 16. A calling thread that is none of them becomes one for the run, as
 * in fg_pool_run. Stages may do what any task may. */
FINEGRAIN_API fg_status fg_pipeline_run_on_pool(fg_pipeline* pipeline, fg_pool* pool,
                                                size_t tokens) FINEGRAIN_NOEXCEPT;

/** Writes to `text` what is known about the pipeline, in several lines: whether the last relic or pool
 * shares it, the time of each stage, and on a relic the thread that calls it. For people; the form may
 * change. Valid until the pipeline's next fg_pipeline_explain or fg_pipeline_destroy.
 * FG_INVALID_ARGUMENT: fewer than two stages. FG_NO_MEMORY. */
FINEGRAIN_API fg_status fg_pipeline_explain(fg_pipeline* pipeline,
                                            const char** text) FINEGRAIN_NOEXCEPT;

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

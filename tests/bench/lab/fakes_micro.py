# SPDX-License-Identifier: Apache-2.0
"""Shell scripts that stand for the programs in bench/programs and for finegrain-info.

Each reads its arguments into variables and then, if there is one, the file `PROGRAM.trouble` beside
it: shell commands that may end it or change a variable.
"""

import json
from pathlib import Path

RUNTIMES = """{"runtimes": [
 {"name": "floor-one-line", "policies": ["spin_pause", "spin"], "carries_tasks": false},
 {"name": "floor-two-line", "policies": ["spin_pause", "spin"], "carries_tasks": false},
 {"name": "relic", "policies": ["spin_then_sleep", "spin_pause", "spin"],
  "carries_tasks": true, "version": "0.1.0", "note": "relic says"},
 {"name": "relic-paper", "policies": ["spin_pause"], "carries_tasks": true},
 {"name": "boost-spsc", "policies": ["spin_pause", "spin"], "carries_tasks": true,
  "version": "1.74"},
 {"name": "atomic-queue", "policies": ["spin"], "carries_tasks": true},
 {"name": "moodycamel-rw", "policies": [], "how_to_get": "libreaderwriterqueue-dev"}]}"""
QUEUE_HOW_TO_GET = "libreaderwriterqueue-dev"

INFO = """{"cpus": [
  {"id": 0, "core": 0, "package": 0, "l2": 0, "l3": 0, "numa_node": 0, "efficiency_class": 0},
  {"id": 1, "core": 1, "package": 0, "l2": 1, "l3": 0, "numa_node": 0, "efficiency_class": 0}],
 "allowed": [0, 1], "quota_cpus": null, "source": "sysfs",
 "pair": {"main_cpu": 0, "assistant_cpu": 1, "kind": "shared_l3", "reason": "no SMT"},
 "placements": [{"kind": "shared_l3", "main_cpu": 0, "assistant_cpu": 1}],
 "round_trip_ns": null, "break_even_ns": null}"""

# Round trips, ns, and a digit behind the point by chance; a task of a burst of N costs a third of
# it, a result that is stored into a variable twice as much, any other value nothing. Whatever the
# digits, relic over the floor is 1.1 and two lines are 1.4.
ROUND_TRIP_NS = {
    "floor-one-line": 150,
    "floor-two-line": 213,
    "relic": 168,
    "relic-paper": 240,
    "boost-spsc": 300,
    "atomic-queue": 270,
}
SPAWN_POLICIES = ["private_deque", "chase_lev"]
# Wall time per spawn on one thread, hundredths of a ns; N take an Nth of it, the pool's two 0.52.
SPAWN_CENTI_NS = {
    "serial": 150,
    "pool-private_deque": 300,
    "pool-chase_lev": 900,
    "pool-xqueue_static": 800,
    "pool-combining": 600,
    "gnu-openmp": 4000,
    "llvm-openmp": 6000,
    "intel-openmp": 4500,
    "onetbb": 8000,
    "taskflow": 8100,
}
SPAWN_SERVED_CENTI_NS = 900  # of every OpenMP program with the drop-in
CALLGRIND_TOTAL = 25600  # of 100 repetitions: 256 instructions for each, whatever the case

_HEAD = """#!/bin/sh
echo "{name} $*" >>"{log}"
while [ $# -gt 0 ]; do
  case "$1" in
    --list) list=1; shift; continue ;;
    --json|--no-measure) shift; continue ;;
    --by-thread) by_thread=1; shift; continue ;;
    --untied) shift; continue ;;
    --untied-tasks) untied=1; shift; continue ;;
    --timeline) timeline=1; shift; continue ;;
    flat|fib|tree|uts|bots|cholesky|syrk) mode=$1; shift; continue ;;
    --runtime) runtime=$2 ;;
    --policy) policy=$2 ;;
    --case) case=$2 ;;
    --size) size=$2 ;;
    --cpus) cpus=$2 ;;
    --workload) workload=$2 ;;
    --start) start=$2 ;;
    --seed) seed=$2 ;;
    --times) times=$2 ;;
    --machine) machine=$(basename "$2" .toml) ;;
    --tasks-a-worker) ;;
    --batches) batches=$2 ;;
    --repeat) repeat=$2 ;;
    --ratio) ratio=$2 ;;
    --grain-ns) grain=$2 ;;
    --change-to-ns) change=$2 ;;
    --gap-us) gap=$2 ;;
    --hints) hints=$2 ;;
    --rounds) batches=$2 ;;
    --period-us) period=$2 ;;
    --work-us) work=$2 ;;
    --jitter-percent) jitter=$2 ;;
    --answers) batches=$2 ;;
    --waits) waits=$2 ;;
    --elements) elements=$2 ;;
    --element-ns) length=$2 ;;
    --steps) steps=$2 ;;
    --calls) calls=$2 ;;
    --shape) shape=$2 ;;
    --node-ns) length=$2 ;;
    --form) form=$2 ;;
    --line) line=$2 ;;
    --token-ns) length=$2 ;;
    --graphs) graphs=$2 ;;
    --threads) threads=$2 ;;
    --mechanism) mechanism=$2 ;;
    --queue) queue=$2 ;;
    --measure) measure=$2 ;;
    --items) items=$2 ;;
    --producers) producers=$2 ;;
    --delay-ns) delay=${{2%.*}} ;;
    --iterations) delay=$((4 * $2)) ;;
    --iterations-from) numbers=$2 delay=400 ;;
    --application) application=$2 ;;
    --tree) tree=$2 ;;
    --n) rows=$2 ;;
    --tile) tile=$2 ;;
    --granularity) granularity=$2 ;;
    --tasks) each_spawns=$2 ;;
    --long-tasks) long_tasks=$2 ;;
    --long-ns) long_ns=$2 ;;
    --queue-capacity) capacity=$2 ;;
  esac
  shift 2
done
main=${{cpus%,*}}
assistant=${{cpus#*,}}
numbers() {{  # a key of the object, with a number a batch
  printf '"%s": [%s' "$1" "$2"
  at=1
  while [ "$at" -lt "$batches" ]; do printf ', %s' "$2"; at=$((at + 1)); done
  printf '], '
}}
if [ -f "$0.trouble" ]; then . "$0.trouble"; fi
"""

_HANDOFF = """
if [ -n "$list" ]; then cat "{folder}/list"; exit 0; fi
case "$runtime" in
  {round_trips}
esac
case "$case" in
  burst-*) ns=$((ns / 3)) ;;
  reference-out) ns=$((ns * 2)) ;;
esac
printf '{{"runtime": "%s", "policy": "%s", "case": "%s", ' "$runtime" "$policy" "$case"
numbers ns "$ns.$(($$ % 10))"
printf '"main_cpu": %s, ' "$main"
printf '"task_cpus": [%s], "note": "%s"}}\\n' "$assistant" "$note"
"""

_INSTRUCTIONS = """
printf '{{"case": "%s", "repeat": %s, "toggle": ["submit_part", "wait_part"]}}\\n' "$case" "$repeat"
"""

# Callgrind's file, and then the program itself, as the real one runs it.
_VALGRIND = """#!/bin/sh
echo "valgrind $*" >>"{log}"
while [ $# -gt 0 ]; do
  case "$1" in
    --callgrind-out-file=*) out=${{1#*=}}; shift ;;
    --*) shift ;;
    *) break ;;
  esac
done
total={total}
if [ -f "$0.trouble" ]; then . "$0.trouble"; fi
printf 'events: Ir\\nfn=(1) x\\n0 7\\n\\ntotals: %s\\n' "$total" >"$out"
exec "$@"
"""

# Handing over costs 150 ns; the controller decides rightly and takes 1 % for it.
_BREAK_EVEN = """
phase() {{
  case "$ratio" in
    1to1) serial=$((2 * $1)); always=$(($1 + 150)) ;;
    *) serial=$((5 * $1)); always=$((4 * $1 + 150)) ;;
  esac
  if [ "$always" -lt "$serial" ]; then best=$always; share=1; else best=$serial; share=0; fi
  adaptive=$best.$((best % 100))
  if [ -f "$0.trouble" ]; then . "$0.trouble"; fi
  printf '{{'
  numbers serial_ns "$serial"
  numbers always_ns "$always"
  numbers adaptive_ns "$adaptive"
  numbers adaptive_offloaded_share "$share"
  numbers calls 100
  printf '"grain_ns": %s}}' "$1"
}}
printf '{{"ratio": "%s", "grain_ns": %s, "change_to_ns": %s, ' "$ratio" "$grain" "${{change:-null}}"
printf '"phases": ['
phase "$grain"
[ -z "$change" ] || {{ printf ', '; phase "$change"; }}
printf '], "round_trip_ns": 160.5, "main_cpu": %s, ' "$main"
printf '"assistant_cpu": %s, "note": "%s"}}\\n' "$assistant" "$note"
"""

# After 1 ms the default policy sleeps; without a hint waking up takes 20 us.
_WAITING = """
ns=160 burned=1.0 sleeps=0
if [ "$policy" = spin_then_sleep ] && [ "$gap" -ge 1000 ]; then
  sleeps=$batches burned=0.0004
  [ "$hints" = hints ] || ns=20000
fi
printf '{{"policy": "%s", "gap_us": %s, "hints": "%s", ' "$policy" "$gap" "$hints"
numbers first_task_ns "$ns.$(($$ % 10))"
numbers burned_share "$burned"
printf '"sleeps": %s, "wake_ups": %s, ' "$sleeps" "$sleeps"
printf '"main_cpu": %s, "assistant_cpu": %s, "note": "%s"}}\\n' "$main" "$assistant" "$note"
"""

# An answer where both halves run at once, and where the other thread has to wake up, which only one
# that spins, or whose last task was less than a millisecond ago, has not.
PERIODIC_HALVES_PERCENT = 55
PERIODIC_WAKE_UP_NS = 16_000
PERIODIC = (
    *("serial", "relic", "pool", "gnu-openmp", "llvm-openmp", "intel-openmp", "onetbb", "taskflow"),
)

_PERIODIC = """
runtime=${{0##*/periodic-}} waits=${{waits:-default}}
serial=$((1000 * work))
awake=$((serial * {periodic_halves} / 100)) asleep=$((serial + {periodic_wake_up}))
case "$runtime/$waits/$OMP_WAIT_POLICY" in
  serial/*) ns=$serial burned=0.01 elsewhere=0 ;;
  */spinning/*|*/active) ns=$awake burned=1.0 elsewhere=1 ;;
  */hints/*|*/passive) ns=$asleep burned=0.02 elsewhere=0.25 ;;
  *) ns=$asleep burned=0.03 elsewhere=0.25; [ "$period" -ge 1000 ] || ns=$awake burned=0.5 ;;
esac
printf '{{"runtime": "%s", "waits": "%s", ' "$runtime" "$waits"
printf '"period_us": %s, "jitter_percent": %s.0, ' "$period" "$jitter"
numbers ns "$ns"
printf '"work_us": %s.0, "missed": 0, "burned_share": %s, ' "$work" "$burned"
printf '"elsewhere": %s, "work_ns": %s, "main_cpu": %s, ' "$elsewhere" "$serial" "$main"
printf '"task_cpus": [%s], "version": "1", "note": "%s"}}\\n' "$assistant" "$note"
"""

# A loop's time in percent of the serial one's, and what it costs besides, ns. The rest take 90.
LOOPS = {
    "serial/default": (100, 0),
    "relic/default": (58, 0),
    "pool/inside": (55, 0),
    "pool/outside": (60, 200),
    "pool/one-worker": (101, 0),
    "gnu-openmp/default": (60, 700),
}

_LOOPS = """
runtime=${{0##*/loops-}} calls=${{calls:-default}} steps=${{steps:-$((2 * length))}}
elements=${{elements:-1000}}
serial=$((elements * length))
case "$runtime/$calls" in
  {loop_times}
  *) ns=$((serial * 90 / 100)) ;;
esac
elsewhere=${{elsewhere:-0.5}} used="$main, $assistant"
case "$runtime/$calls" in
  serial/*|*/one-worker) elsewhere=0 used=$main ;;
esac
printf '{{"runtime": "%s", "calls": "%s", "elements": %s, ' "$runtime" "$calls" "$elements"
printf '"element_ns": %s.0, "steps": %s, ' "$length" "$steps"
numbers ns "$ns.0"
printf '"elsewhere": %s, "cpus": [%s], ' "$elsewhere" "$used"
printf '"version": "1", "note": "%s"}}\\n' "$note"
"""

# A node's time in percent of what it takes, and what it costs besides, ns. The rest take 90 and 40.
GRAPH = {
    "serial/default": (100, 2),
    "relic/default": (60, 2),
    "relic/fork-join": (70, 2),
    "pool/default": (62, 2),
    "gnu-openmp/default": (70, 200),
    "gnu-openmp/served": (65, 100),
    "onetbb/lightweight": (100, 5),
}

_GRAPH = """
runtime=${{0##*/graph-}} form=${{form:-default}} served=$form length=${{length:-0}}
case "$LD_PRELOAD" in
  *{drop_in}*)
    served=served
    if [ -n "$FINEGRAIN_OMP_VERBOSE" ] && [ -n "${{speaks-yes}}" ]; then
      library=libgomp.so.1; [ "$runtime" = gnu-openmp ] || library=libiomp5.so
      [ "$runtime" != llvm-openmp ] || library=libomp.so.5
      echo "finegrain-omp: policy $FINEGRAIN_POLICY" >&2
      echo "finegrain-omp: runtime $library, entry points fake" >&2
      echo "finegrain-omp: took over 8 implicit tasks of regions and ${{taken:-6400}} tasks" >&2
    fi ;;
esac
case "$runtime/$served" in
  {graph_times}
  *) ns=$((length * 90 / 100 + 40)) ;;
esac
elsewhere=${{elsewhere:-0.5}} used="$main, $assistant"
[ "$runtime" != serial ] || elsewhere=0 used=$main
printf '{{"runtime": "%s", "form": "%s", "shape": "%s", ' "$runtime" "$form" "$shape"
printf '"node_ns": %s.0, "nodes": %s, ' "$length" "${{nodes:-64}}"
numbers ns "$ns.0"
batches=${{graphs:-5}}
numbers build_ns 80
numbers first_ns "$((2 * ns))"
numbers hundredth_ns "$((ns + 1))"
printf '"elsewhere": %s, "cpus": [%s], ' "$elsewhere" "$used"
printf '"version": "1", "note": "%s"}}\\n' "$note"
"""

# A token's time in percent of what it takes, and what it costs besides, ns.
PIPELINE = {
    "serial": (100, 2),
    "relic": (70, 4),
    "pool": (60, 4),
    "two-threads": (50, 8),
    "onetbb": (80, 100),
    "taskflow": (90, 50),
}

_PIPELINE = """
runtime=${{0##*/pipeline-}}
case "$runtime" in
  {pipeline_times}
esac
elsewhere=${{elsewhere:-0.5}} used="$main, $assistant"
[ "$runtime" != serial ] || elsewhere=0 used=$main
printf '{{"runtime": "%s", "line": "%s", ' "$runtime" "$line"
printf '"token_ns": %s.0, "tokens": 100, ' "$length"
numbers ns "$ns.0"
printf '"elsewhere": %s, "cpus": [%s], ' "$elsewhere" "$used"
printf '"version": "1", "note": "%s"}}\\n' "$note"
"""

_SPAWN = """
library() {{
  case "$runtime" in
    {spawn_libraries}
  esac
}}
runtime=${{0##*/spawn-}}
if [ -n "$list" ]; then echo '{spawn_list}'; exit 0; fi
[ "$runtime" = pool ] && runtime=pool-$policy
case "$runtime" in
  {spawn_times}
esac
case "$LD_PRELOAD" in
  *{drop_in}*)
    centi={spawn_served} served=$FINEGRAIN_POLICY
    if [ -n "$FINEGRAIN_OMP_VERBOSE" ] && [ -n "${{speaks-yes}}" ]; then
      echo "finegrain-omp: policy ${{ran:-$served}}" >&2
      echo "finegrain-omp: runtime ${{below:-$(library)}}, entry points fake" >&2
      echo "finegrain-omp: took over 8 implicit tasks of regions and ${{taken:-4038804}} tasks" >&2
    fi ;;
esac
share=${{share:-0.5}} used=$cpus
case "$runtime/$threads" in
  */1) share=0 used=$main ;;
  serial/*) share=0 centi=$((centi * ${{slower:-1}} / threads)) ;;
  pool-private_deque/2) centi=$((centi * 52 / 100)) ;;
  *) centi=$((centi / threads)) ;;
esac
printf '{{"runtime": "%s", "threads": %s, ' "$runtime" "$threads"
tasks=1000
case "$mode" in
  flat)  # each its delay and what spawn takes
    tasks=$((${{each_spawns:-1000}} * producers + ${{long_tasks:-0}}))
    centi=$((centi + 100 * ${{delay:-0}} / threads))
    centi=$((centi + 100 * ${{long_tasks:-0}} * ${{long_ns:-0}} / threads / tasks))
    [ -z "$capacity" ] || centi=$((centi + centi / capacity))
    printf '"producers": %s, ' "$producers"
    counted=$found ;;
  fib) tasks=1346268; printf '"n": 30, ' ;;
  tree) tasks=4680 ;;
  bots)  # untied tasks take twice as long
    [ -z "$untied" ] || centi=$((centi * 2))
    counted=$found
    [ "$application" = floorplan ] && vary=true
    printf '"tasks_vary": %s, ' "${{vary:-false}}" ;;
  uts)  # 50 ns a node for its hash, and what spawn takes
    case "$tree" in
      T1) tasks=4130071 leaves=3305118 depth=10 ;;
      T3) tasks=4112897 leaves=3599034 depth=1572 ;;
      T3L) tasks=111345631 leaves=89076904 depth=17844 ;;
    esac
    centi=$((centi + 5000 * granularity / threads))
    printf '"tree": "%s", "granularity": %s, ' "$tree" "$granularity"
    printf '"nodes": %s, "leaves": %s, ' "${{found:-$tasks}}" "$leaves"
    printf '"depth": %s, ' "$depth"
    if [ -n "$timeline" ]; then  # the second thread is at work in the second and the last quarter
      printf '"timeline": {{"wall_ns": 200000, "gap_ns": 2000, "threads": ['
      printf '{{"cpu": %s, "tasks": %s, "busy": [[0, 200000]]}}, ' "$main" "$((tasks - 1000000))"
      printf '{{"cpu": %s, "tasks": %s, ' "$assistant" "${{noted:-1000000}}"
      printf '"busy": %s}}]}}, ' "${{busy:-[[50000, 100000], [150000, 200000]]}}"
    fi ;;
  cholesky|syrk)  # a task's gemm at 50 GFLOP/s, and what spawn takes
    side=$(((rows + tile - 1) / tile))
    tasks=$((side * side * (side + 1) / 2))
    [ "$mode" = syrk ] || tasks=$((side * (side + 1) * (side + 2) / 6))
    tasks=${{found:-$tasks}}
    centi=$((centi + 4 * tile * tile * tile / threads))
    printf '"n": %s, "tile": %s, ' "$rows" "${{cut:-$tile}}"
    printf '"blas": "FakeBLAS %s", ' "${{blas:-1}}" ;;
esac
# A tenth of an even part goes from each other thread to the first.
others=$((tasks / threads * ${{less:-9}} / 10))
[ "$runtime" = serial ] && others=0
counts=$((tasks - others * (threads - 1)))
at=1
while [ "$at" -lt "$threads" ]; do counts="$counts, $others"; at=$((at + 1)); done
counts="[${{counted:-$counts}}]"
[ -n "$by_thread" ] && numbers tasks_by_thread "$counts" ||
  printf '"tasks_by_thread": [%s], ' "$counts"
printf '"tasks": %s, ' "$tasks"
hundredths=$((centi % 100 + 100))
numbers ns "$((centi / 100)).${{hundredths#1}}"
printf '"offloaded_share": %s, "cpus": [%s], ' "$share" "$used"
case "$LD_PRELOAD" in
  *malloc*)
    preload=${{LD_PRELOAD##*:lib}}
    allocator=${{allocator:-$(echo "${{preload#lib}}" | sed 's/\\([a-z]*\\).*/\\1/')}} ;;
esac
printf '"allocator": "%s", ' "${{allocator:-glibc}}"
printf '"version": "1", "note": "%s"}}\\n' "$note"
"""

# Cycles of an operation on one thread; N threads take N times as long. Two cycles a ns.
SYNC_CYCLES = {"mutex": 100, "semaphore": 200, "spinlock": 50, "fetch-and-add": 40}

_SYNC = """
case "$mechanism" in
  {sync_cycles}
esac
cycles=$((cycles * threads * ${{slower:-1}}))
own=0 used= pinned=false
IFS=,
for cpu in $cpus; do
  own=$((own + 1))
  [ "$own" -gt "$threads" ] || used="$used${{used:+, }}$cpu"
done
unset IFS
[ "$threads" -gt "$own" ] || pinned=true
printf '{{"mechanism": "%s", "threads": %s, ' "$mechanism" "$threads"
printf '"pinned": %s, "operations": 4000, ' "$pinned"
numbers cycles "$cycles.0"
numbers ns "$((cycles / 2)).0"
printf '"ticks_per_ns": 2.0, "cycles_per_tick": %s, ' "${{per_tick:-1.0}}"
printf '"cpus": [%s], "note": "%s"}}\\n' "$used" "$note"
"""

# Cycles of a push and its pop; between threads an item takes four times that, one way ten times.
QUEUE_CYCLES = {"finegrain-spsc": 20, "boost-spsc": 40, "mutex-mpmc": 100}
QUEUES = """{"queues": [
 {"name": "finegrain-spsc", "version": "0.1.0", "how_to_get": ""},
 {"name": "boost-spsc", "version": "1.74", "how_to_get": ""},
 {"name": "atomic-queue", "version": "?", "how_to_get": "libatomic-queue-dev"},
 {"name": "mutex-mpmc", "version": "std::mutex", "how_to_get": ""}]}"""

_QUEUES = """
if [ -n "$list" ]; then cat "{folder}/queue-list"; exit 0; fi
case "$queue" in
  {queue_cycles}
esac
other=$assistant
case "$measure" in
  one-way) cycles=$((cycles * 10 * ${{slower:-1}})) ;;
  push-pop) other= ;;
  throughput) cycles=$((cycles * 4)) ;;
esac
printf '{{"queue": "%s", "measure": "%s", "items": %s, ' "$queue" "$measure" "$items"
numbers cycles "$cycles.0"
numbers ns "$((cycles / 2)).0"
printf '"ticks_per_ns": 2.0, "cycles_per_tick": 1.0, "main_cpu": %s, ' "$main"
printf '"task_cpus": [%s], "note": "%s"}}\\n' "$other" "$note"
"""

# Milliseconds of every kernel and loop alone, and with the drop-in's policies; what is below it.
OMP_MS = {"serial": 150, "gnu-openmp": 1200, "llvm-openmp": 400, "intel-openmp": 300}
OMP_POLICY_MS = {"private_deque": 100, "chase_lev": 200}
OMP_OVERHEAD_NS = (500, 600)  # alone; with the drop-in
OMP_LIBRARIES = {
    "gnu-openmp": "libgomp.so.1",
    "llvm-openmp": "libomp.so.5",
    "intel-openmp": "libiomp5.so",
}
DROP_IN = "libfinegrain-omp.so"
DROP_IN_ALL = "libfinegrain-omp-all.so"
OMP_REGIONS = (120, 100)  # on regions of our own: ms of a program of loops, ns of a construct
# A program's loops: of the serial one's time 15 us each, and 150 us in its greater sizes.
OMP_LOOPS = (10_000, 1_000)

_OMP = """
runtime=${{0##*/omp-}}
policy=${{LD_PRELOAD:+$FINEGRAIN_POLICY}}
case "$threads" in
  1) even=0 ;;
  4) even=0.75 ;;
  8) even=0.875 ;;
  *) even=0.5 ;;
esac
case "$runtime" in
  {omp_times}
esac
case "$policy" in
  {omp_policy_times}
esac
ns=${{ms}}000000 tasks=${{tasks-21890}} share=${{share:-$even}} used=$cpus
case "$case" in
  *-overhead) ns={omp_alone_ns} tasks=0; [ -z "$policy" ] || ns={omp_served_ns} ;;
  cg|multigrid|fft|stencil|gemm|lu|levels|springs)
    tasks=0
    [ "$size" -gt 300 ] && loops=${{loops:-{omp_few_loops}}}
    loops=${{loops:-{omp_loops}}} ;;
esac
case "$LD_PRELOAD" in
  *{drop_in_all}*)
    ns={omp_regions_ms}000000
    case "$case" in *-overhead) ns={omp_regions_ns} ;; esac
    if [ -n "$FINEGRAIN_OMP_VERBOSE" ] && [ -n "${{speaks-yes}}" ]; then
      echo "finegrain-omp: ${{serves:-regions are served without a runtime below}}" >&2
      echo "finegrain-omp: took over ${{served:-800}} implicit tasks of regions and 0 tasks" >&2
    fi ;;
esac
[ "$runtime" = serial ] && share=0 used=$main
if [ -n "$FINEGRAIN_OMP_VERBOSE" ] && [ -n "${{speaks-$policy}}" ]; then
  if [ -n "$passive" ]; then
    echo "finegrain-omp: passive: $passive" >&2
  else
    echo "finegrain-omp: policy ${{ran:-$policy}}" >&2
    echo "finegrain-omp: runtime ${{below:-$library}}, entry points fake" >&2
    [ -n "$cut" ] ||
      echo "finegrain-omp: took over 8 implicit tasks of regions and ${{taken:-65670}} tasks" >&2
  fi
fi
printf '{{"runtime": "%s", "case": "%s", ' "$runtime" "$case"
printf '"size": %s, "threads": %s, "tasks": %s, ' "${{size:-7}}" "$threads" "$tasks"
printf '"loops": %s, ' "${{loops:-0}}"
numbers ns "${{took:-$ns}}"
printf '"offloaded_share": %s, ' "$share"
printf '"cpus": [%s], "version": "OpenMP of %s", "note": "%s"}}\\n' "$used" "$runtime" "$note"
"""

# Lines that a task moves: these times the cores other than the first.
SCALING_LINES = {"private_deque": 2, "xqueue_static": 20}

_SCALING = """
tasks=1000 lines=$((${{lines:-5}} * 1000 * (threads - 1)))
case "$policy" in
  {scaling_lines}
esac
printf '{{"workload": "%s", "policy": "%s", "threads": %s, ' "$workload" "$policy" "$threads"
printf '"start": "%s", "seed": %s, "times": "%s", ' "$start" "${{seed:-1}}" "${{times:-usual}}"
case "${{times:-usual}}" in low) ns=10 ;; high) ns=70 ;; *) ns=20 ;; esac
printf '"most_line_transfers": %s, ' "$lines"
printf '"virtual_ns": %s, ' "$((tasks * (ns + ${{seed:-1}}) / threads))"
printf '"machine": "%s", "tasks": %s, ' "$machine" "$tasks"
printf '"pool_bytes": %s, "longest_wake_up_chain": 2, ' "$((threads * 65536))"
printf '"accesses": 20000, "shared_accesses": 4000, "line_transfers": %s, ' "$lines"
printf '"invalidations": 0, "read_modify_writes": 100, "looks": 9, "steal_attempts": 7, '
printf '"steals": 5, "sleeps": 3, "wake_ups": 3, "heavy_fences": 3, "interrupts": 3}}\\n'
"""

_INFO = """
cat "{folder}/info"
"""

PROGRAMS = {
    "handoff": _HANDOFF,
    "handoff-instructions": _INSTRUCTIONS,
    "break-even": _BREAK_EVEN,
    "waiting": _WAITING,
    "sync": _SYNC,
    "queues": _QUEUES,
    "scaling": _SCALING,
    "finegrain-info": _INFO,
    **{f"omp/omp-{name}": _OMP for name in OMP_MS},
    **{f"periodic/periodic-{name}": _PERIODIC for name in PERIODIC},
    **{f"loops/loops-{name}": _LOOPS for name in PERIODIC},
    **{f"graph/graph-{name}": _GRAPH for name in PERIODIC},
    **{f"pipeline/pipeline-{name}": _PIPELINE for name in PIPELINE},
    **{f"spawn/spawn-{name}": _SPAWN for name in (*SPAWN_CENTI_NS, "pool") if "pool-" not in name},
}
# Their keys in runtimes.json.
KEYS = {
    "handoff": "handoff",
    "handoff_instructions": "handoff-instructions",
    "break_even": "break-even",
    "waiting": "waiting",
    "sync": "sync",
    "queues": "queues",
    "periodic": "periodic",
    "loops": "loops",
    "graph": "graph",
    "pipeline": "pipeline",
    "spawn": "spawn",
    "omp": "omp",
    "scaling": "scaling",
    "info": "finegrain-info",
}


def write_micro_programs(folder: Path, tools: Path, log: Path) -> None:
    """Writes the programs into `folder` and valgrind into `tools`; every start is logged."""
    (folder / "list").write_text(RUNTIMES)
    (folder / "info").write_text(INFO)
    (folder / "queue-list").write_text(QUEUES)
    round_trips = "\n  ".join(f"{name}) ns={ns} ;;" for name, ns in ROUND_TRIP_NS.items())
    loop_times = "\n  ".join(
        f"{name}) ns=$((serial * {percent} / 100 + {extra})) ;;"
        for name, (percent, extra) in LOOPS.items()
    )
    graph_times = "\n  ".join(
        f"{name}) ns=$((length * {percent} / 100 + {extra})) ;;"
        for name, (percent, extra) in GRAPH.items()
    )
    pipeline_times = "\n  ".join(
        f"{name}) ns=$((length * {percent} / 100 + {extra})) ;;"
        for name, (percent, extra) in PIPELINE.items()
    )
    spawn_times = "\n  ".join(f"{name}) centi={ns} ;;" for name, ns in SPAWN_CENTI_NS.items())
    spawn_libraries = "\n    ".join(
        f"{name}) echo {library} ;;" for name, library in OMP_LIBRARIES.items()
    )
    sync_cycles = "\n  ".join(f"{name}) cycles={at} ;;" for name, at in SYNC_CYCLES.items())
    scaling_lines = "\n  ".join(
        f"{name}) lines=$(({lines} * tasks * (threads - 1))) ;;"
        for name, lines in SCALING_LINES.items()
    )
    queue_cycles = "\n  ".join(f"{name}) cycles={at} ;;" for name, at in QUEUE_CYCLES.items())
    spawn_list = json.dumps({"runtime": "pool", "policies": SPAWN_POLICIES})
    omp_times = "\n  ".join(
        f"{name}) ms={ms} library={OMP_LIBRARIES.get(name, '')} ;;" for name, ms in OMP_MS.items()
    )
    omp_policies = "\n  ".join(f"{name}) ms={ms} ;;" for name, ms in OMP_POLICY_MS.items())
    for library in (DROP_IN, DROP_IN_ALL):
        (folder / library).touch()  # the linker says that it can not load it, and goes on
    (folder / "periodic").mkdir()
    (folder / "loops").mkdir()
    (folder / "graph").mkdir()
    (folder / "pipeline").mkdir()
    (folder / "spawn").mkdir()
    (folder / "omp").mkdir()
    for name, body in PROGRAMS.items():
        text = (_HEAD + body).format(
            name=name,
            log=log,
            folder=folder,
            round_trips=round_trips,
            periodic_halves=PERIODIC_HALVES_PERCENT,
            periodic_wake_up=PERIODIC_WAKE_UP_NS,
            loop_times=loop_times,
            graph_times=graph_times,
            pipeline_times=pipeline_times,
            spawn_times=spawn_times,
            spawn_list=spawn_list,
            spawn_libraries=spawn_libraries,
            spawn_served=SPAWN_SERVED_CENTI_NS,
            drop_in=DROP_IN,
            sync_cycles=sync_cycles,
            scaling_lines=scaling_lines,
            queue_cycles=queue_cycles,
            omp_times=omp_times,
            omp_policy_times=omp_policies,
            omp_alone_ns=OMP_OVERHEAD_NS[0],
            omp_served_ns=OMP_OVERHEAD_NS[1],
            drop_in_all=DROP_IN_ALL,
            omp_regions_ms=OMP_REGIONS[0],
            omp_regions_ns=OMP_REGIONS[1],
            omp_loops=OMP_LOOPS[0],
            omp_few_loops=OMP_LOOPS[1],
        )
        write_program(folder / name, text)
    tools.mkdir()
    write_program(tools / "valgrind", _VALGRIND.format(log=log, total=CALLGRIND_TOTAL))


def write_program(path: Path, script: str) -> None:
    """Writes a script that can be started."""
    path.write_text(script)
    path.chmod(0o755)

/* Where the workers of a pool sleep, without end: balance/idle_workers.hpp with one sleep_gate per
 * worker.
 *
 * Publishers leave tasks that every worker can take; a worker takes one, which may run forever, or
 * sleeps. Two publishers, so that two wake at once.
 *
 * Step in Promela          | C++
 *   P1                     | pool::post: inbox::put
 *   P3                     | idle_workers::any_after_publishing
 *   wake_one               | idle_workers::wake_one; the first seat is any
 *   W3, W4, W4 notify      | sleep_gate::wake_sleeper
 *   look                   | worker::find_work: inbox::take
 *   S1 count, uncount      | idle_workers::sleep
 *   S1, S2, S3, S4         | sleep_gate::sleep_unless
 *   parked                 | the futex: workers that sleep on the word until a notification
 *
 * Memory: sequential consistency, except that a published task waits in a buffer until its
 * publisher performs a read-modify-write or a worker's heavy fence (S2) flushes it. (The inbox's lock
 * would flush it, too; other queues have none.) What workers write before S3 are read-modify-writes.
 *
 * Bound: 2 tasks that no worker has taken. Sleep for a completion is left out.
 *
 * Sizes:
 *   -DWORKERS=2 -DPUBLISHERS=2
 *   -DWORKERS=3 -DPUBLISHERS=1
 * Guaranteed:
 *   assertion  while a task waits and a worker sleeps, a thread is awake without a task, or about to
 *              wake one; a worker sleeps only while it is counted
 *   end_state  no deadlock: with tasks waiting, no worker sleeps forever
 * Broken on purpose:
 *   -DNO_HEAVY_FENCE     assertion  S2 is missing
 *   -DNO_LIGHT_FENCE     assertion  the compiler has moved P3 before P1
 *   -DWOKEN_TWICE        assertion  W4 does not check which thread has cleared the bit
 *   -DONE_SEAT           assertion  wake_one tries one seat only
 *   -DUNCOUNTED_ASLEEP   assertion  a worker uncounts itself before S4
 *   -DNO_NOTIFY          end_state  W4 clears the bit, and nothing else
 */
#define MOST_WAITING 2
#if PUBLISHERS > 1
#define UNTAKEN (tasks + buffered[0] + buffered[1])
#else
#define UNTAKEN (tasks + buffered[0])
#endif

byte tasks;                 /* published, and seen by all */
bool buffered[PUBLISHERS];  /* a task that only its publisher sees */
byte counted;               /* asleep_ */
bool asleep[WORKERS];       /* kAsleep of each gate */
bool parked[WORKERS];

/* Not part of the protocol: used by the properties. */
byte publishing;  /* publishers that may be about to wake a worker */
byte looking;     /* workers that are awake and have no task */
byte sleeping;    /* workers that sleep and have not been woken */

/* Checked wherever it might become false. */
#define CHECK assert(!(tasks > 0 && sleeping > 0 && looking == 0 && publishing == 0))

inline flush(publisher) {
  tasks = tasks + buffered[publisher];
  buffered[publisher] = false;
  CHECK
}

active proctype store_buffers() {
end:
  do
  :: atomic { buffered[0] -> flush(0) }
#if PUBLISHERS > 1
  :: atomic { buffered[1] -> flush(1) }
#endif
  od
}

active [PUBLISHERS] proctype publisher() {
  byte seat, tried;
  bool seen;
#define OWN_BUFFER buffered[_pid - 1]

end:
  do
  ::
     atomic { UNTAKEN < MOST_WAITING -> publishing++ };
#ifdef NO_LIGHT_FENCE
     seen = counted != 0;  /* P3 */
#endif
     OWN_BUFFER = true;  /* P1 */
#ifndef NO_LIGHT_FENCE
     seen = counted != 0;  /* P3 */
#endif
     if
     :: seen ->
        atomic {  /* wake_one; a read-modify-write */
          !OWN_BUFFER;
          if
          :: seat = 0
          :: seat = 1
#if WORKERS > 2
          :: seat = 2
#endif
          fi
        }
        do
        :: tried < WORKERS ->
           if
           :: !asleep[seat]  /* W3 */
           :: asleep[seat] ->
#ifndef WOKEN_TWICE
              if  /* W4 */
              :: atomic { asleep[seat] -> asleep[seat] = false }
              :: !asleep[seat] -> goto next_seat
              fi;
#else
              asleep[seat] = false;
#endif
#ifndef NO_NOTIFY
              atomic {  /* W4 notify */
                if
                :: parked[seat] -> parked[seat] = false; sleeping--; looking++
                :: !parked[seat]
                fi
              }
#endif
              break
           fi;
next_seat:
#ifdef ONE_SEAT
           break;
#endif
           atomic { seat = (seat + 1) % WORKERS; tried++ }
        :: else -> break
        od
     :: else
     fi;
     atomic { seat = 0; tried = 0; seen = false; publishing--; CHECK }
  od
}

active [WORKERS] proctype worker() {
#define SELF (_pid - 1 - PUBLISHERS)
  looking++;

look:
  if
  :: atomic { tasks > 0 -> tasks--; looking--; CHECK };
     if
     :: looking++; goto look
     :: goto end_busy
     fi
  :: tasks == 0
  fi;
  counted++;  /* S1 count */
  asleep[SELF] = true;  /* S1 */
#ifndef NO_HEAVY_FENCE
  d_step {  /* S2 */
    flush(0);
#if PUBLISHERS > 1
    flush(1)
#endif
  }
#endif
#ifdef UNCOUNTED_ASLEEP
  counted--;
#endif
  if  /* S3 */
  :: tasks > 0 -> asleep[SELF] = false
  :: else ->
     do  /* S4 */
     :: atomic { asleep[SELF] -> assert(counted > 0); parked[SELF] = true; looking--; sleeping++; CHECK };
        !parked[SELF]
     :: !asleep[SELF] -> break
     od
  fi;
#ifndef UNCOUNTED_ASLEEP
  counted--;  /* uncount */
#endif
  goto look;

end_busy:
  false
}

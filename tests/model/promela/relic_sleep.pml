/* How a relic's assistant sleeps and is woken, without end: wait/sleep_gate.hpp around the two ends of
 * relic/handoff_ring.hpp, with the hints of relic/sleep_orders.hpp.
 *
 * The main thread submits, waits, and gives hints in any order, forever or until it stops. The
 * assistant polls; at any unsuccessful poll its budget may be spent.
 *
 * Step in Promela             | C++
 *   reserve, publish          | handoff_ring: reserve, publish (W1)
 *   W3, W4, W4 notify         | sleep_gate: needs_attention, wake_sleeper; relic: after_publish
 *   wait                      | relic::wait: drained, rewind
 *   help                      | relic::help: assistant_role: try_take, give_back; run_published_until
 *   wake_up_hint, sleep_hint  | relic, of the same names; sleep_orders: stay_awake, allow_sleep
 *   stop                      | relic::stop_assistant: the last task, join
 *   look                      | handoff_ring::try_next, from assistant::look_for_task
 *   run                       | assistant::run, handoff_ring::complete
 *   may_sleep                 | assistant: idle, may_sleep
 *   S1, S2, S3, S4            | sleep_gate::sleep_unless, from assistant::sleep
 *   give_up, take_back        | assistant_role, of the same names, from assistant::sleep
 *   parked                    | the futex: the thread that sleeps on the word until a notification
 *
 * Memory: sequential consistency, except that the main thread's last store to a turn or to the
 * orders waits in a buffer until it writes the next one, performs a read-modify-write, or the
 * assistant's heavy fence (S2) flushes it. What the assistant writes before S3 is a read-modify-write.
 *
 * Bound: 2 threads, a ring of 2 slots; turns are of tickets modulo 2, enough since at most 2 tasks
 * are unfinished. An order's number is not kept: only whether the word differs from the one that the
 * assistant has read (changed) and from the one whose limit has run out (expired), and how many of the
 * tasks that a hint to sleep names are unfinished.
 *
 * Sizes:
 *   -DCAPACITY=2
 * Guaranteed:
 *   assertion         each task runs once, in order; the assistant leaves after the last one; no
 *                     sleep after a hint to stay awake whose limit has not run out
 *   end_state         no deadlock
 *   each_task_is_run  eventually, whatever comes after it
 *   assistant_leaves  after stop
 * Broken on purpose:
 *   -DANY_TURN                assertion         try_next takes a task without checking its number
 *   -DHELP_WITHOUT_ROLE       assertion         main runs tasks while the assistant is about to sleep
 *   -DNO_TAKE_BACK            assertion         the assistant runs tasks while main does
 *   -DNO_LOOK_AT_ORDERS       assertion         S3 checks for tasks only
 *   -DORDER_READ_TWICE        assertion         S3 compares with a later order than may_sleep has seen
 *   -DNO_LIGHT_FENCE_OF_HINT  assertion         the compiler has moved W3 before the hint
 *   -DNO_HEAVY_FENCE          end_state         S2 is missing
 *   -DNO_LIGHT_FENCE          each_task_is_run  the compiler has moved W3 before W1
 *   -DNO_NOTIFY               assistant_leaves  W4 clears the bit, and nothing else
 */
#define PUBLISHED(ticket) (2 * (ticket) + 1)
#define FINISHED(ticket) ((2 * (ticket) + 2) % 4)
#define IS_FREE(turn) ((turn) % 2 == 0)

mtype = { nothing, a_turn, an_order };       /* what the buffer holds */
mtype = { assistants, nobodys, mains };        /* who has the role */
mtype = { no_order, sleep, outdated, awake };  /* outdated: others ran after the named tasks */

byte turn[CAPACITY];
mtype order = no_order;
byte order_ahead;  /* tasks that an order to sleep names and that have not finished */
bool asleep;       /* kAsleep */
bool parked;

/* The assistant's end of the ring, and the role that owns it. */
mtype role = assistants;
byte place;
byte expected;

mtype buffered = nothing;
byte buffered_slot;
byte buffered_turn;
mtype buffered_order = no_order;
byte buffered_ahead;

/* What the assistant remembers of orders. */
bool changed;
bool expired;

/* Not part of the protocol: used by the properties. */
bool unfinished[CAPACITY];
bool hinting;
bool stopping;
bool left;

/* Checked wherever it might become false. */
#define CHECK assert(!(parked && order == awake && !expired && !hinting && buffered != an_order))

#define unfinished_tasks (unfinished[0] + unfinished[1])
#define LOAD_TURN(slot) (buffered == a_turn && buffered_slot == (slot) -> buffered_turn : turn[slot])

inline flush() {
  if
  :: buffered == a_turn -> turn[buffered_slot] = buffered_turn
  :: buffered == an_order ->
     changed = changed || buffered_order == awake || buffered_order != order || buffered_ahead != order_ahead;
     expired = false;
     order = buffered_order;
     order_ahead = buffered_ahead
  :: else
  fi;
  buffered = nothing;
  buffered_slot = 0;
  buffered_turn = 0;
  buffered_order = no_order;
  buffered_ahead = 0;
  CHECK
}

inline run_task() {
  d_step {
    assert(unfinished[place] && turn[place] == PUBLISHED(expected));
    unfinished[place] = false;
    turn[place] = FINISHED(expected);
    expected = 1 - expected;
    place = 1 - place;
    if
    :: order == sleep && order_ahead == 0 -> order = outdated
    :: order == sleep && order_ahead > 0 -> order_ahead--
    :: else
    fi;
    if
    :: buffered_order == sleep && buffered_ahead > 0 -> buffered_ahead--
    :: else
    fi
  }
}

active proctype store_buffer() {
end:
  do
  :: atomic { buffered != nothing -> flush() }
  od
}

inline store_order(kind, ahead) {
  atomic {
    buffered == nothing -> buffered = an_order;
    buffered_order = kind;
    buffered_ahead = ahead
  }
}

inline wake_sleeper() {
  if
  :: asleep ->
     atomic { buffered == nothing -> seen = asleep; asleep = false }  /* W4 */
     if
     :: seen ->
#ifndef NO_NOTIFY
        parked = false  /* W4 notify */
#endif
     :: else
     fi
  :: else
  fi
}

active proctype main_thread() {
  byte index, last, ticket;
  byte free = CAPACITY;
  bool seen, last_task;

  do
  ::
     if  /* submit */
     :: true
     :: last_task = true  /* stop */
     fi;
     if  /* reserve */
     :: free > 0
     :: free == 0 -> IS_FREE(LOAD_TURN(index)); free = 1
     fi;
#ifdef NO_LIGHT_FENCE
     seen = asleep;  /* W3 */
#endif
     atomic {  /* publish: W1 */
       buffered == nothing -> buffered = a_turn;
       buffered_slot = index;
       buffered_turn = PUBLISHED(ticket);
       unfinished[index] = true;
       stopping = last_task;
       ticket = 1 - ticket;
       last = index;
       index = 1 - index;
       free--
     }
#ifndef NO_LIGHT_FENCE
     seen = asleep;  /* W3 */
#endif
     if
     :: seen -> wake_sleeper()
     :: else
     fi;
     seen = false;
     if
     :: stopping -> break
     :: else
     fi
  ::
     atomic { IS_FREE(LOAD_TURN(last)) -> assert(unfinished_tasks == 0); index = 0; free = CAPACITY }  /* wait */
  ::
#ifdef HELP_WITHOUT_ROLE
     atomic { asleep -> flush() };
#else
     atomic { role == nobodys -> role = mains; flush() };  /* help: try_take */
#endif
     do
     :: turn[place] == PUBLISHED(expected) -> run_task()
     :: turn[place] != PUBLISHED(expected) && turn[0] == PUBLISHED(expected) -> place = 0
     :: else -> break
     od;
#ifndef HELP_WITHOUT_ROLE
     role = nobodys  /* give_back */
#endif
  ::
     hinting = true;  /* wake_up_hint */
#ifdef NO_LIGHT_FENCE_OF_HINT
     seen = asleep;  /* W3 */
#endif
     store_order(awake, 0);  /* W1 */
#ifndef NO_LIGHT_FENCE_OF_HINT
     seen = asleep;  /* W3 */
#endif
     if
     :: seen -> wake_sleeper()
     :: else
     fi;
     atomic { hinting = false; seen = false; CHECK }
  ::
     store_order(sleep, unfinished_tasks)  /* sleep_hint */
  od;
  left -> assert(unfinished_tasks == 0)  /* join */
}

active proctype assistant() {
  bool found;

look:
  if
  :: turn[place] == PUBLISHED(expected)
#ifdef ANY_TURN
  :: !IS_FREE(turn[place])
#endif
  :: else ->
     if
     :: turn[0] == PUBLISHED(expected) -> place = 0
     :: else -> goto may_sleep
     fi
  fi;
  run_task();
  if
  :: stopping && unfinished_tasks == 0 -> goto leave  /* that was the very last task */
  :: else -> goto look
  fi;

may_sleep:
  if
  :: goto look  /* it was not time to read the clock */
  :: atomic { order == sleep && order_ahead == 0 -> changed = false }
  :: atomic { order == awake && !expired -> changed = false };
     if
     :: goto look
     :: expired = !changed
     fi
  :: atomic { !(order == sleep && order_ahead == 0) && !(order == awake && !expired) -> changed = false }
  fi;
#ifdef ORDER_READ_TWICE
  changed = false;
#endif

  asleep = true;  /* S1 */
#ifndef NO_HEAVY_FENCE
  atomic { flush() }  /* S2 */
#endif
  found = turn[place] == PUBLISHED(expected);  /* S3 */
  found = found || turn[0] == PUBLISHED(expected);
#ifndef NO_LOOK_AT_ORDERS
  found = found || changed;
#endif
  if
  :: found -> asleep = false
  :: else ->
     role = nobodys;  /* give_up */
     do  /* S4 */
     :: atomic { asleep -> parked = true; CHECK };
        !parked
     :: !asleep -> break
     od;
#ifndef NO_TAKE_BACK
     atomic { role == nobodys -> role = assistants }  /* take_back */
#endif
  fi;
  found = false;
  goto look;

leave:
  left = true
}

ltl each_task_is_run {
  [] (unfinished[0] -> <> !unfinished[0]) && [] (unfinished[1] -> <> !unfinished[1])
}
ltl assistant_leaves { [] (stopping -> <> left) }

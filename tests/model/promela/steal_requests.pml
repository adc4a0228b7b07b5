/* The rounds of steal requests, without end: balance/steal_requests.hpp as
 * balance/xqueue_wait.hpp uses it.
 *
 * Two thieves ask a victim, wait, withdraw and ask again; the victim gets tasks, runs them, answers,
 * closes when it has none and opens when it has.
 *
 * Step in Promela      | C++
 *   ask                | xqueue_wait::ask, steal_requests::ask
 *   take_answer        | xqueue_wait::take_answer
 *   withdraw           | xqueue_wait::become_free, steal_requests::withdraw
 *   look, claim        | xqueue_wait::answer, steal_requests: look, claim
 *   answer             | xqueue_wait::answer: the task goes to the mailbox
 *   close, open        | steal_requests, of the same names
 *
 * Memory: sequential consistency. Each change of a cell that others may change concurrently is a
 * read-modify-write; the three stores (open, the answer, the emptied mailbox) could only be late,
 * as from a slow thread.
 *
 * Bound: 2 thieves, a victim with at most 2 tasks, rounds modulo ROUNDS. Between a read of the cell
 * and the compare-exchange after it there are at most 3 changes. With fewer changes than rounds a
 * word does not repeat; in the header there are 2^40 rounds.
 *
 * Sizes:
 *   -DROUNDS=4
 *   -DROUNDS=1 -DSTATE_ONLY
 * With one round, which means none, a successful thread may refer to a later state (STATE_ONLY:
 * that
 * is not checked), and everything else holds: a thief has one request at a time, so no other request
 * can be mistaken for it.
 *
 * Guaranteed:
 *   assertion          a successful thread refers to the state that it has seen; a mailbox gets a task
 *                      only on its thief's request, and while it is empty
 *   claim_is_answered  eventually
 *   request_ends       answered or withdrawn
 * Not guaranteed:
 *   request_is_answered  its thief may give up too early
 * Broken on purpose:
 *   -DTOO_FEW_ROUNDS   assertion          fewer rounds than changes
 *   -DNO_CLAIM         assertion          the victim answers the word that it has read (the paper)
 *   -DNO_WITHDRAWAL    assertion          a thief forgets its request (the paper)
 *   -DSTORED_ASK       request_ends       a thief stores its request (the paper)
 *   -DCLAIM_FOR_NOTHING  claim_is_answered  the victim does not secure a task
 */
#ifdef TOO_FEW_ROUNDS
#undef ROUNDS
#define ROUNDS 2
#endif
#define MOST_CHANGES 3
#define MOST_TASKS 2
#define THIEVES 2
#define VICTIM 2
#define NOBODY 3

byte asker = NOBODY;  /* the cell */
byte round;
bool mailbox[THIEVES];
byte tasks;           /* in the victim's queues */

/* Not part of the protocol: used by the properties. */
bool asked[THIEVES];
bool claimed[THIEVES];
bool answered[THIEVES];     /* the latest request was answered */
bool looked[THIEVES + 1];
byte changes[THIEVES + 1];  /* of the cell, since that thread has read it */


/* A thread begins nothing while another one has read the cell too long ago: a thief that asks
 * withdraws or is claimed, a victim that closes opens. */
#ifdef STATE_ONLY
#define SPEAKS_OF_WHAT_IT_SAW(self) skip
#define MAY_BEGIN true
#define COUNT_CHANGE(other) skip
#else
#define SPEAKS_OF_WHAT_IT_SAW(self) assert(changes[self] == 0)
#define HAS_TIME(other) (other == _pid || changes[other] + 2 <= MOST_CHANGES)
#define MAY_BEGIN (HAS_TIME(0) && HAS_TIME(1) && HAS_TIME(2))
#define COUNT_CHANGE(other) changes[other] = changes[other] + looked[other]
#endif

inline look() {
  looked[_pid] = true;
  seen = round
}

inline forget() {
  looked[_pid] = false;
  changes[_pid] = 0;
  seen = 0
}

inline change(who, from) {
  asker = who;
  round = (from + 1) % ROUNDS;
  COUNT_CHANGE(0);
  COUNT_CHANGE(1);
  COUNT_CHANGE(VICTIM)
}

active [THIEVES] proctype thief() {
  byte seen, request;

end_free:
  do
  :: atomic { asker == NOBODY -> look() };  /* ask */
     if
#ifdef STORED_ASK
     :: atomic { MAY_BEGIN ->
#else
     :: atomic { asker == NOBODY && round == seen && MAY_BEGIN ->
                 SPEAKS_OF_WHAT_IT_SAW(_pid);
#endif
                 change(_pid, seen);
                 request = round;
                 asked[_pid] = true;
                 answered[_pid] = false;
                 forget() };
        break
     :: atomic { !(asker == NOBODY && round == seen) -> forget() }
     fi
  od;

  do
  :: atomic { mailbox[_pid] -> mailbox[_pid] = false; asked[_pid] = false; request = 0 };  /* take_answer */
     break
  :: atomic { asker == _pid && round == request ->  /* withdraw */
#ifndef NO_WITHDRAWAL
              change(NOBODY, request);
#endif
              asked[_pid] = false;
              request = 0 };
     break
  od;
  goto end_free
}

inline open() {
  if
  :: atomic { asker == VICTIM -> change(NOBODY, round) }
  :: asker != VICTIM
  fi
}

active proctype victim() {
  byte seen;
  byte who = NOBODY;

  do
  :: tasks < MOST_TASKS ->  /* push */
     open();
     tasks++
  :: tasks < MOST_TASKS ->  /* another worker deals */
     tasks++
  :: tasks > 0 ->  /* pop */
     tasks--;
     open();
     atomic { look(); who = asker };
#ifdef CLAIM_FOR_NOTHING
#define HAS_TASK true
#else
#define HAS_TASK (tasks > 0)
#endif
#ifdef NO_CLAIM
#define IS_AS_SEEN true
#else
#define IS_AS_SEEN (asker == who && round == seen)
#endif
     if
     :: atomic { who < THIEVES && HAS_TASK && IS_AS_SEEN ->  /* claim */
                 SPEAKS_OF_WHAT_IT_SAW(VICTIM);
                 change(NOBODY, seen);
                 claimed[who] = true;
                 forget() };
        if
        :: atomic { tasks > 0 ->  /* answer */
                    tasks--;
                    assert(asked[who] && !mailbox[who]);
                    mailbox[who] = true;
                    answered[who] = true;
                    claimed[who] = false }
#ifdef CLAIM_FOR_NOTHING
        :: tasks == 0
#endif
        fi
     :: atomic { !(who < THIEVES && HAS_TASK && IS_AS_SEEN) -> forget() }
     fi;
     who = NOBODY
  :: tasks == 0 ->  /* close */
     if
     :: atomic { asker == NOBODY && MAY_BEGIN -> change(VICTIM, round) }
     :: asker != NOBODY
     fi
  od
}

ltl claim_is_answered { [] (claimed[0] -> <> !claimed[0]) }
ltl request_ends { [] (asked[0] -> <> !asked[0]) }
ltl request_is_answered { [] (asked[0] -> <> answered[0]) }

/* Mutual exclusion between an owner and its deputies, without end: wait/biased_lock.hpp.
 *
 * Each thread enters as often as it wants, retries after a refusal, and may give up forever.
 *
 * Step in Promela  | C++
 *   O1 to O5       | biased_lock: try_enter, leave; its loop is enter
 *   D1 to D5       | biased_lock: try_enter_as_deputy, leave_as_deputy; a deputy retries
 *
 * Memory: sequential consistency, except that the owner's last store waits in a buffer until it
 * writes the next one, or a deputy's heavy fence (D2) flushes it. (D1 is a read-modify-write, and
 * D5 in a buffer would only be late.)
 *
 * Bound: an owner and 2 deputies.
 *
 * Sizes:
 *   -DDEPUTIES=2
 * Guaranteed:
 *   assertion              never two inside; a refused thread has met one that was inside or tried
 *   owner_gets_in          once the deputies stop coming
 *   deputy_gets_in         once the others stop coming
 * Not guaranteed:
 *   owner_always_gets_in   while deputies come
 *   deputy_always_gets_in  while the owner comes
 *   somebody_gets_in       both may give up at once, repeatedly
 * Broken on purpose:
 *   -DNO_HEAVY_FENCE       assertion       D2 is missing
 *   -DNO_LIGHT_FENCE       assertion       the compiler has moved O3 before O1
 *   -DNO_EXCHANGE          assertion       D1 in two steps
 *   -DLOCKED_BY_VAIN_O1    deputy_gets_in  O5 is missing when the owner gives up
 *   -DLOCKED_BY_VAIN_D1    owner_gets_in   D5 is missing when a deputy gives up
 */
bool inside;        /* as all except the owner see it */
bool buffered;
bool buffered_inside;
bool revoked;

/* Not part of the protocol: used by the properties. */
bool owner_wants, owner_is_in, owner_gone;
bool wants[DEPUTIES], is_in[DEPUTIES], gone[DEPUTIES];
byte trying;        /* deputies between D1 and D5 */

inline flush() {
  if
  :: buffered -> inside = buffered_inside
  :: else
  fi;
  buffered = false;
  buffered_inside = false
}

inline store_inside(value) {
  atomic { !buffered -> buffered = true; buffered_inside = value }
}

active proctype store_buffer() {
end:
  do
  :: atomic { buffered -> flush() }
  od
}

active proctype owner() {
  bool refused;

  do
  :: owner_wants = true;
     do
     ::
#ifdef NO_LIGHT_FENCE
        refused = revoked;
#endif
        store_inside(true);  /* O1 */
#ifndef NO_LIGHT_FENCE
        d_step { refused = revoked; assert(!refused || trying > 0) }  /* O3 */
#endif
        if
        :: refused ->
           refused = false;
#ifndef LOCKED_BY_VAIN_O1
           store_inside(false);  /* O5 */
#endif
           if
           :: true
           :: owner_gone = true; goto away
           fi
        :: else -> break
        fi
     od;
     atomic { owner_is_in = true; assert(!is_in[0] && !is_in[1]) }  /* O4 */
     d_step { owner_is_in = false; owner_wants = false }
     store_inside(false)  /* O5 */
  :: owner_gone = true; break
  od;
away:
  owner_wants = false
}

active [DEPUTIES] proctype deputy() {
#define SELF (_pid - 2)
  bool was;

  do
  :: wants[SELF] = true;
     do
     ::
#ifdef NO_EXCHANGE
        was = revoked;
        d_step { trying = trying + !was; revoked = true }
#else
        d_step { was = revoked; revoked = true; assert(!was || trying > 0); trying = trying + !was }  /* D1 */
#endif
        if
        :: was -> was = false
        :: else ->
#ifndef NO_HEAVY_FENCE
           atomic { flush() }  /* D2 */
#endif
           if  /* D3 */
           :: inside ->
#ifndef LOCKED_BY_VAIN_D1
              d_step { revoked = false; trying-- }  /* D5 */
#endif
           :: else -> break
           fi
        fi;
        if
        :: true
        :: gone[SELF] = true; goto away
        fi
     od;
     atomic { is_in[SELF] = true; assert(!owner_is_in && !is_in[1 - SELF]) }  /* D4 */
     d_step { is_in[SELF] = false; wants[SELF] = false }
     d_step { revoked = false; trying-- }  /* D5 */
  :: gone[SELF] = true; break
  od;
away:
  wants[SELF] = false
}

ltl owner_gets_in { [] (owner_wants && gone[0] && gone[1] -> <> (owner_is_in || owner_gone)) }
ltl deputy_gets_in { [] (wants[0] && gone[1] && owner_gone -> <> (is_in[0] || gone[0])) }

ltl owner_always_gets_in { [] (owner_wants -> <> (owner_is_in || owner_gone)) }
ltl deputy_always_gets_in { [] (wants[0] -> <> (is_in[0] || gone[0])) }
ltl somebody_gets_in { [] (owner_wants && wants[0] -> <> (owner_gone || gone[0] || owner_is_in || is_in[0] || is_in[1])) }

// How a thief asks a worker for tasks (balance/steal_requests.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/balance/steal_requests.hpp"

namespace {

using fg::detail::steal_requests;

// An answer: written by the victim, which counts it. The thief has emptied it before it asks.
struct mailbox {
  int answer = 0;
  bool is_claimed = false;
};

// Worker 0. Answers in at most `looks` attempts.
void answer(steal_requests& requests, mailbox* mailboxes, int looks) {
  for (int i = 0; i < looks; ++i) {
    const steal_requests::word_type seen = requests.look(0);
    const std::size_t thief = steal_requests::asker_of(seen);
    if (thief != steal_requests::kNobody && thief != 0 && requests.claim(0, seen)) {
      model::require(mailboxes[thief].answer == 0, "one answer for a request");
      mailboxes[thief].answer = 1;
      mailboxes[thief].is_claimed = true;
    }
  }
}

// Asks and withdraws. True: it could not withdraw, so the answer has arrived or will.
bool ask(steal_requests& requests, std::size_t thief, mailbox& own) {
  own.answer = 0;
  steal_requests::word_type asked = 0;
  if (!requests.ask(0, thief, asked)) {
    return false;
  }
  return !requests.stands(0, asked) || !requests.withdraw(0, asked);
}

// A claimed request is answered, a withdrawn one is not: each thief and the victim agree.
void two_thieves() {
  steal_requests requests{3};
  mailbox mailboxes[3];
  bool expects[3]{};
  model::run_threads([&] { answer(requests, mailboxes, 3); },
                     [&] { expects[1] = ask(requests, 1, mailboxes[1]); },
                     [&] { expects[2] = ask(requests, 2, mailboxes[2]); });
  for (std::size_t thief = 1; thief < 3; ++thief) {
    model::require(expects[thief] == mailboxes[thief].is_claimed,
                   "answered if and only if it was not withdrawn");
  }
  model::require(steal_requests::asker_of(requests.look(0)) == steal_requests::kNobody,
                 "the cell is free in the end");
}

// An old word is useless: the victim cannot claim the second request with the first, and the thief
// cannot withdraw it.
void old_word() {
  steal_requests requests{2};
  steal_requests::word_type first = 0;
  steal_requests::word_type second = 0;
  model::require(requests.ask(0, 1, first), "nobody else asks");
  const steal_requests::word_type seen = requests.look(0);
  model::require(requests.withdraw(0, first), "nobody has claimed it");
  model::require(requests.ask(0, 1, second), "the cell is free again");
  model::require(!requests.claim(0, seen) && !requests.withdraw(0, first), "not by an old word");
  model::require(requests.stands(0, second), "the second one stands");
}

// The same thief again, after it has withdrawn.
void asks_again() {
  steal_requests requests{2};
  mailbox mailboxes[2];
  int expected = 0;
  model::run_threads([&] { answer(requests, mailboxes, 2); },
                     [&] {
                       expected += ask(requests, 1, mailboxes[1]) ? 1 : 0;
                       if (expected == 0) {
                         expected += ask(requests, 1, mailboxes[1]) ? 1 : 0;
                       }
                     });
  model::require((expected == 1) == mailboxes[1].is_claimed,
                 "answered if and only if it was not withdrawn");
}

// A victim that closes refuses every thief that has not asked before, and opens again.
void closes_and_opens() {
  steal_requests requests{3};
  mailbox mailboxes[3];
  bool expects[3]{};
  model::run_threads(
      [&] {
        requests.close(0);
        const bool is_closed = steal_requests::asker_of(requests.look(0)) == 0;
        answer(requests, mailboxes, 1);
        requests.open(0);
        model::require(!is_closed || (!mailboxes[1].is_claimed && !mailboxes[2].is_claimed),
                       "who is closed is not asked");
        answer(requests, mailboxes, 2);
      },
      [&] { expects[1] = ask(requests, 1, mailboxes[1]); },
      [&] { expects[2] = ask(requests, 2, mailboxes[2]); });
  for (std::size_t thief = 1; thief < 3; ++thief) {
    model::require(expects[thief] == mailboxes[thief].is_claimed,
                   "answered if and only if it was not withdrawn");
  }
  model::require(steal_requests::asker_of(requests.look(0)) == steal_requests::kNobody,
                 "the cell is free in the end");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "steal_requests (pool): a victim, 1 and 2 thieves",
      {{"2 thieves ask and withdraw", "answered or withdrawn, never both", two_thieves},
       {"an old word", "it is worth nothing", old_word},
       {"a thief asks again", "answered or withdrawn, never both", asks_again},
       {"the victim closes and opens", "answered or withdrawn, never both", closes_and_opens}},
      argc, argv);
}

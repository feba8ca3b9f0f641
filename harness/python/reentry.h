// Re-entry: what a value that fights back does to the op that is running.
//
//   RunningOp running{.slots = &slots, .self_slot = 0, .self = args[0], .again = Again, .next = Next, .context = &call};
//   RunningOp::Scope scope(running);          // around the op
//   React(Reaction::kDrop, value);            // from a hook of a value (fights.h)
//
// Contract: one lane at a time. The executor owns references to the op's arguments while reactions are
// possible: a reaction may empty every slot. Reactions nest at most three deep, so they end. Pending
// exceptions are kept.
#ifndef REFQUAKE_PYTHON_REENTRY_H_
#define REFQUAKE_PYTHON_REENTRY_H_

#include <Python.h>

#include <span>

#include "python/slots.h"

namespace refquake {

enum class Reaction : uint8_t {
  kCollect,    // a full collection
  kDrop,       // empty all slots
  kForget,     // empty the slot that self came from
  kAgain,      // run the same op once more
  kNext,       // run the lane's next op now (and again when its turn comes)
  kClear,      // self.clear(), where there is one
  kRead,       // repr(self), and the first items of iter(self)
  kDetach,     // release the thread, take it up again
  kResurrect,  // put the value itself into the last slot
};

struct ReactionName {
  const char* name;
  Reaction reaction;
};
std::span<const ReactionName> Reactions();

struct RunningOp {
  SlotTable* slots = nullptr;
  int self_slot = -1;
  PyObject* self = nullptr;
  void (*again)(void* context) = nullptr;
  void (*next)(void* context) = nullptr;
  void* context = nullptr;

  class Scope {
   public:
    explicit Scope(const RunningOp& op);
    ~Scope();

   private:
    const RunningOp* outer_;
  };
};

// Does nothing while no op runs.
void React(Reaction reaction, PyObject* value);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_REENTRY_H_

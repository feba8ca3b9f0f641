// Values that fight back: objects whose special methods do something to the op that is calling them.
//
//   AddFights(target);     // the values Fights(collect), OnDel(resurrect), ..., Chain(Node.next)
//
// | value            | reacts in                                                                    |
// | `Fights(R)`      | __eq__, __hash__, __repr__, __index__, __iter__, __next__, __call__, __getattr__ |
// | `OnDel(R)`       | its finalizer: also as a member of something that is collected or deallocated  |
// | `Chain(T.NAME)`  | not at all: 100,000 T, each linked to the next by NAME, for recursion in dealloc |
//
// R is one of reentry.h's reactions. As the callback of `weakref.ref(x, Fights(R))` a value reacts to a
// death. Each object reacts twice at most, and only while an op runs; it keeps the rules that the oracles
// judge, and is judged by them.
#ifndef REFQUAKE_PYTHON_FIGHTS_H_
#define REFQUAKE_PYTHON_FIGHTS_H_

#include "python/target.h"

namespace refquake {

// Before the trials, which find out where a fighting value is accepted. False with an exception set if
// the interpreter refuses.
bool AddFights(Target& target);
// After discovery: chains of the target's own types.
void AddChains(Target& target);
// Only the first chain of a run is deep, and only if one of its first three ops makes it; others are short.
void ResetChains();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_FIGHTS_H_

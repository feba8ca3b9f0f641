// refquake.Fights: the type of the values that fight back (fights.h).
#ifndef REFQUAKE_PYTHON_FIGHT_TYPE_H_
#define REFQUAKE_PYTHON_FIGHT_TYPE_H_

#include "python/reentry.h"

namespace refquake {

PyTypeObject* CreateFightType();
// `at_death`: reacts in its finalizer and nowhere else; otherwise everywhere but there.
PyObject* NewFight(PyTypeObject* type, Reaction reaction, bool at_death);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_FIGHT_TYPE_H_

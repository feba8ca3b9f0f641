// refquake.Value: a small, mortal, collectable object for programs to pass around.
// It holds nothing, hashes and compares by identity, and can be weakly referenced.
//
// Text and numbers are often immortal or shared, and nobody can say how many references to a fresh
// string are right. A Value is watched like a type under test, so one reference too many or too few
// shows at the next barrier.
//
//   PyTypeObject* value_type = CreateValueType();   // new reference, or null with an exception
#ifndef REFQUAKE_PYTHON_VALUE_TYPE_H_
#define REFQUAKE_PYTHON_VALUE_TYPE_H_

#include <Python.h>

namespace refquake {

PyTypeObject* CreateValueType();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_VALUE_TYPE_H_

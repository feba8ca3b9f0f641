// The types of a target as text, for `refquake discover`: one type a line, fields separated by tabs.
//
//   name  type's own full name  heap|static  gc|-  weakref|-  dict|-  traverse|-  clear|-  finalize|-  subclass|-
#ifndef REFQUAKE_PYTHON_TARGET_TEXT_H_
#define REFQUAKE_PYTHON_TARGET_TEXT_H_

#include <string>

#include "python/target.h"

namespace refquake {

std::string DescribeTypes(const Target& target);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TARGET_TEXT_H_

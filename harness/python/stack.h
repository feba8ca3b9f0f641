// The calling thread's stack by frame pointers: cheap enough for every allocation. The interpreter and the
// code under test are built with them.
//
//   uintptr_t frames[16];
//   int count = CaptureStack(frames, 16);     // return addresses, innermost first
//   std::string text = DescribeStack({frames, count});
#ifndef REFQUAKE_PYTHON_STACK_H_
#define REFQUAKE_PYTHON_STACK_H_

#include <cstdint>
#include <span>
#include <string>

namespace refquake {

int CaptureStack(uintptr_t* frames, int most);
// One line a frame, as the sanitizers print them; bare addresses without a sanitizer.
std::string DescribeStack(std::span<const uintptr_t> frames);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_STACK_H_

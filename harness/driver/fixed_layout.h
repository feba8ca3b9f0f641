// The same addresses in every process: an input whose run depends on where things lie (a set of objects
// hashes by address) then replays as it was found.
//
//   FixLayout(argv);   // first thing in the process: it may start the program anew, once
//
// Contract: turns address space randomisation off for this program by personality(2), and has CPython's allocator
// (mimalloc) reserve its memory in small pieces, unless the environment says how much. Where the kernel or a
// container's filter refuses, goes on as it is: schedules replay all the same, their places being relative
// to the object file. Source: man 2 personality, ADDR_NO_RANDOMIZE.
#ifndef REFQUAKE_DRIVER_FIXED_LAYOUT_H_
#define REFQUAKE_DRIVER_FIXED_LAYOUT_H_

namespace refquake {

void FixLayout(char** argv);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_FIXED_LAYOUT_H_

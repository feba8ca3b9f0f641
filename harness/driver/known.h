// Findings that are known: a campaign goes on past them, to reach the next bug in line.
//
//   if (auto error = LoadKnown("known.txt")) ...     // one signature a line
//   if (IsKnown("missed-visit node.Node left")) ...  // counts it, and prints a KNOWN line
//
// A signature is what a report carries: the words of an oracle's SUMMARY line, or those of the RACE line
// that this file prints above each of ThreadSanitizer's data-race reports: both stacks, each down to
// its first frame of the code under test. A known race is not reported; nothing else is left out, not
// even a race that shares one of its two stacks.
//
// Contract: built without sanitizers and without allocation after LoadKnown: it runs under
// ThreadSanitizer's locks.
#ifndef REFQUAKE_DRIVER_KNOWN_H_
#define REFQUAKE_DRIVER_KNOWN_H_

namespace refquake {

// Returns null, or an error text (static storage).
const char* LoadKnown(const char* path);

// Whether the signature is known; prints `==refquake== KNOWN: input N: SIGNATURE` if so.
bool IsKnown(const char* signature);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_KNOWN_H_

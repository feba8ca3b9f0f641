// The one header a fuzz target includes.
//
//   #include "driver/fuzz_target.h"
//   REFQUAKE_FUZZ_TARGET("lifecycle");     // a profile of core/profile.h
#ifndef REFQUAKE_DRIVER_FUZZ_TARGET_H_
#define REFQUAKE_DRIVER_FUZZ_TARGET_H_

extern "C" const char refquake_fuzz_target_profile[];
// Weak: only a bundled binary (driver/bundle.h) defines it.
extern "C" const char* const refquake_bundled_module __attribute__((weak));

#define REFQUAKE_FUZZ_TARGET(profile) extern "C" const char refquake_fuzz_target_profile[] = profile

#define REFQUAKE_BUNDLED_MODULE(module) extern "C" const char* const refquake_bundled_module = module

#endif  // REFQUAKE_DRIVER_FUZZ_TARGET_H_

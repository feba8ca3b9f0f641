/* Coverage hooks that do nothing: preloaded where a sample is imported by an ordinary interpreter,
   which exports none. A fuzz binary brings its own. Built without any instrumentation, and linked to
   libstdc++: a sanitizer's runtime must find that at the start, or it cannot throw for a C++ sample. */
#include <stdint.h>

#define HOOK(name) void __sanitizer_cov_##name(void) {}
HOOK(8bit_counters_init)
HOOK(pcs_init)
HOOK(trace_cmp1)
HOOK(trace_cmp2)
HOOK(trace_cmp4)
HOOK(trace_cmp8)
HOOK(trace_const_cmp1)
HOOK(trace_const_cmp2)
HOOK(trace_const_cmp4)
HOOK(trace_const_cmp8)
HOOK(trace_div4)
HOOK(trace_div8)
HOOK(trace_gep)
HOOK(trace_switch)
HOOK(trace_pc_indir)
HOOK(load1)
HOOK(load2)
HOOK(load4)
HOOK(load8)
HOOK(load16)
HOOK(store1)
HOOK(store2)
HOOK(store4)
HOOK(store8)
HOOK(store16)

__attribute__((tls_model("initial-exec"))) __thread uintptr_t __sancov_lowest_stack;

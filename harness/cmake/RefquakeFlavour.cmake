# What a flavour means to the compiler and the linker, as interface targets; nothing is set globally.
#   refquake_cxx        language level and warnings, for all of our own code
#   refquake_sanitize   the flavour's sanitizer, to compile and to link
#   refquake_coverage   libFuzzer's edge coverage and yield points: for code under test only
#   refquake_python     the interpreter's headers (absent in the dev flavour)
#   refquake_libpython  the interpreter itself, static, its symbols exported to extensions
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

set(REFQUAKE_LINKER "lld-19" CACHE STRING "what -fuse-ld names")
set(REFQUAKE_SANITIZE_FLAGS "" CACHE STRING "sanitizer flags on top of the flavour's, for our code and the code under test")

add_library(refquake_cxx INTERFACE)
target_compile_options(refquake_cxx INTERFACE -Wall -Wextra -Wno-missing-field-initializers -fno-omit-frame-pointer)
target_include_directories(refquake_cxx INTERFACE "${CMAKE_SOURCE_DIR}/harness")
target_link_options(refquake_cxx INTERFACE -fuse-ld=${REFQUAKE_LINKER})

add_library(refquake_sanitize INTERFACE)
if(REFQUAKE_FLAVOUR STREQUAL "asan")
  set(REFQUAKE_SANITIZER address)
elseif(REFQUAKE_FLAVOUR STREQUAL "tsan")
  set(REFQUAKE_SANITIZER thread)
elseif(REFQUAKE_FLAVOUR STREQUAL "dev")
  set(REFQUAKE_SANITIZER address,undefined)
elseif(REFQUAKE_FLAVOUR STREQUAL "plain")
  set(REFQUAKE_SANITIZER "")
else()
  message(FATAL_ERROR "REFQUAKE_FLAVOUR is '${REFQUAKE_FLAVOUR}': use asan, tsan, plain or dev")
endif()
if(REFQUAKE_SANITIZER)
  target_compile_options(refquake_sanitize INTERFACE -fsanitize=${REFQUAKE_SANITIZER})
  target_link_options(refquake_sanitize INTERFACE -fsanitize=${REFQUAKE_SANITIZER})
endif()

separate_arguments(refquake_more NATIVE_COMMAND "${REFQUAKE_SANITIZE_FLAGS}")
target_compile_options(refquake_sanitize INTERFACE ${refquake_more})
target_link_options(refquake_sanitize INTERFACE ${refquake_more})

add_library(refquake_coverage INTERFACE)
target_compile_options(refquake_coverage INTERFACE
  -fsanitize=fuzzer-no-link -fsanitize-coverage=trace-loads,trace-stores -fno-omit-frame-pointer)

if(REFQUAKE_FLAVOUR STREQUAL "dev")
  return()
endif()

if(NOT REFQUAKE_PYTHON_PREFIX)
  if(IS_ABSOLUTE "$ENV{XDG_CACHE_HOME}")  # a relative one is to be ignored (XDG Base Directory Specification)
    set(refquake_cache "$ENV{XDG_CACHE_HOME}/refquake")
  else()
    set(refquake_cache "$ENV{HOME}/.cache/refquake")
  endif()
  set(REFQUAKE_PREFIX "${refquake_cache}/interpreters/current-${REFQUAKE_PYTHON_VERSION}-${REFQUAKE_FLAVOUR}")
else()
  set(REFQUAKE_PREFIX "${REFQUAKE_PYTHON_PREFIX}")
endif()
# The link is stable, its target is not: resolve it, so that a rebuilt interpreter means a rebuild here.
file(REAL_PATH "${REFQUAKE_PREFIX}" REFQUAKE_PREFIX)
file(GLOB refquake_include "${REFQUAKE_PREFIX}/include/python3.*t*")
file(GLOB refquake_archive "${REFQUAKE_PREFIX}/lib/libpython3.*t*.a")
if(NOT refquake_include OR NOT refquake_archive)
  message(FATAL_ERROR "no ${REFQUAKE_FLAVOUR} interpreter ${REFQUAKE_PYTHON_VERSION} at ${REFQUAKE_PREFIX}\n"
    "build one with: ./refquake setup ${REFQUAKE_FLAVOUR}")
endif()

add_library(refquake_python INTERFACE)
target_include_directories(refquake_python SYSTEM INTERFACE "${refquake_include}")

add_library(refquake_libpython INTERFACE)
target_link_libraries(refquake_libpython INTERFACE refquake_python "${refquake_archive}" dl m util)
target_link_options(refquake_libpython INTERFACE -Wl,--export-dynamic
  -Wl,--wrap=_PyEval_StopTheWorld,--wrap=_PyEval_StartTheWorld)  # harness/python/stopped_world.cc
if(REFQUAKE_FLAVOUR STREQUAL "asan")
  # harness/python/lock_free_reads.h: the interpreter's own bad loads are looked at first
  target_link_options(refquake_libpython INTERFACE
    -Wl,--wrap=__asan_report_load1_noabort,--wrap=__asan_report_load4_noabort,--wrap=__asan_report_load8_noabort)
endif()

# refquake_add_bundle(TARGETS node ... PROFILES lifecycle ...)
#
#   cmake ... "-DREFQUAKE_BUNDLE=node;ring" && ninja bundle      # bundle/fuzz_node_lifecycle, bundle/modules/...
#
# builds a binary for each target and profile that needs no flags (harness/driver/bundle.h), with the
# modules beside it in bundle/. The interpreter's standard library is the user's to copy, to bundle/python.
# REFQUAKE_FUZZING_ENGINE names the engine: a flag, or an archive to link.
set(REFQUAKE_BUNDLE "" CACHE STRING "targets to bundle, without tests; empty: an ordinary build tree")
set(REFQUAKE_BUNDLE_PROFILES "lifecycle;threads;reentry;nomem" CACHE STRING "profiles to bundle each of them for")
set(REFQUAKE_FUZZING_ENGINE "-fsanitize=fuzzer" CACHE STRING "what a bundled binary is linked with")

function(refquake_add_bundle)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "TARGETS;PROFILES")
  set(folder "${CMAKE_BINARY_DIR}/bundle")
  add_custom_target(bundle)
  foreach(name IN LISTS arg_TARGETS)
    if(NOT TARGET ${name}_clean)
      message(FATAL_ERROR "REFQUAKE_BUNDLE names '${name}', which targets/CMakeLists.txt does not build")
    endif()
    add_custom_target(bundle_${name} DEPENDS ${name}_clean
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}/modules/${name}"
      COMMAND "${CMAKE_COMMAND}" -E copy "$<TARGET_FILE:${name}_clean>" "${folder}/modules/${name}/")
    add_dependencies(bundle bundle_${name})
    foreach(profile IN LISTS arg_PROFILES)
      set(binary "fuzz_${name}_${profile}")
      file(CONFIGURE OUTPUT "${folder}-sources/${binary}.cc" @ONLY CONTENT
"// Written by RefquakeBundle.cmake.
#include \"driver/fuzz_target.h\"

REFQUAKE_FUZZ_TARGET(\"@profile@\");
REFQUAKE_BUNDLED_MODULE(\"@name@\");
")
      add_executable(${binary} EXCLUDE_FROM_ALL "${folder}-sources/${binary}.cc")
      target_link_libraries(${binary} PRIVATE refquake_driver "${REFQUAKE_FUZZING_ENGINE}")
      set_target_properties(${binary} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${folder}")
      add_dependencies(bundle ${binary})
    endforeach()
  endforeach()
endfunction()

# refquake_add_fuzz_target(NAME): builds fuzz_NAME from NAME's one source file, fuzz_NAME.cc, which
# names the profile.
function(refquake_add_fuzz_target name)
  add_executable(fuzz_${name} fuzz_${name}.cc)
  target_link_libraries(fuzz_${name} PRIVATE refquake_driver)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# refquake_add_extension(NAME SOURCES file.c ... [PLANTS_FROM file ...] [LIBRARIES target ...])
#
#   refquake_add_extension(node SOURCES node.c)
#
# builds targets/NAME/VARIANT/NAME.so: VARIANT `clean`, and one for each plant in the sources (or in
# PLANTS_FROM, where the sources are generated), and writes targets/NAME/plants.json. docs/plants.md
# describes plants. LIBRARIES are linked to every variant. `ninja target_NAME` builds all of them.
function(refquake_add_extension name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PLANTS_FROM;LIBRARIES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "refquake_add_extension(${name}): expected SOURCES file ...")
  endif()
  if(NOT arg_PLANTS_FROM)
    set(arg_PLANTS_FROM ${arg_SOURCES})
  endif()
  list(TRANSFORM arg_PLANTS_FROM PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  set(products "${CMAKE_BINARY_DIR}/targets/${name}")
  refquake_read_plants(plants "${products}/plants.json" ${arg_PLANTS_FROM})

  add_custom_target(target_${name})
  foreach(variant IN ITEMS clean LISTS plants)
    set(module "${name}_${variant}")
    add_library(${module} MODULE ${arg_SOURCES})
    set_target_properties(${module} PROPERTIES
      PREFIX "" SUFFIX ".so" OUTPUT_NAME "${name}" LIBRARY_OUTPUT_DIRECTORY "${products}/${variant}")
    target_include_directories(${module} PRIVATE "${CMAKE_SOURCE_DIR}/targets")
    target_link_libraries(${module} PRIVATE
      refquake_extension refquake_sanitize refquake_coverage refquake_python ${arg_LIBRARIES})
    if(NOT variant STREQUAL "clean")
      target_compile_definitions(${module} PRIVATE "REFQUAKE_PLANT=${variant}")
    endif()
    add_dependencies(target_${name} ${module})
  endforeach()
endfunction()

# Sets OUT to the names of the plants in the given sources and writes FILE; a change of a source, or
# of the reader, configures again.
function(refquake_read_plants out file)
  set(reader "${CMAKE_SOURCE_DIR}/harness/cmake/read_plants.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${reader}" ${ARGN})
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${reader}" --root "${CMAKE_SOURCE_DIR}" --out "${file}" ${ARGN}
    OUTPUT_VARIABLE names ERROR_VARIABLE error RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "plants: ${error}")
  endif()
  string(REPLACE "\n" ";" names "${names}")
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

if(NOT REFQUAKE_FLAVOUR STREQUAL "dev")
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
  # What every sample is compiled with. The interpreter's symbols stay undefined: the binary that
  # imports the sample exports them.
  add_library(refquake_extension INTERFACE)
  target_compile_options(refquake_extension INTERFACE
    -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
   -fvisibility=hidden -fno-strict-aliasing)
  target_link_options(refquake_extension INTERFACE -fuse-ld=${REFQUAKE_LINKER})
endif()

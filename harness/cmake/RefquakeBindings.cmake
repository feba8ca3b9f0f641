# The samples that need a binding package: each is left out, and says so, where its package is missing.
# The packages are looked for in REFQUAKE_VENV_PYTHON, which ./refquake gives; see docs/plants.md.
set(REFQUAKE_VENV_PYTHON "" CACHE FILEPATH "a Python with harness/cli/requirements.txt installed")

# Sets OUT to what the expression prints in that Python, or to nothing where the package is missing.
function(refquake_ask_package out package expression)
  set(answer "")
  if(REFQUAKE_VENV_PYTHON)
    execute_process(
      COMMAND "${REFQUAKE_VENV_PYTHON}" -c "import ${package}, os; print(${expression})"
      OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT answer)
    message(STATUS "samples: no ${package} in REFQUAKE_VENV_PYTHON ('${REFQUAKE_VENV_PYTHON}'): "
      "its bindtree is left out")
  endif()
  set(${out} "${answer}" PARENT_SCOPE)
endfunction()

refquake_ask_package(pybind11_include pybind11 "pybind11.get_include()")
if(pybind11_include)
  add_library(refquake_pybind11 INTERFACE)
  target_include_directories(refquake_pybind11 SYSTEM INTERFACE "${pybind11_include}")
  refquake_add_extension(bindtree SOURCES bindtree/bindtree.cc LIBRARIES refquake_pybind11)
endif()

# nanobind has a library of its own. It is instrumented like the interpreter, but it is not code under test.
refquake_ask_package(nanobind_folder nanobind "os.path.dirname(nanobind.__file__)")
if(nanobind_folder)
  add_library(refquake_nanobind STATIC "${nanobind_folder}/src/nb_combined.cpp")
  target_include_directories(refquake_nanobind SYSTEM
    PUBLIC "${nanobind_folder}/include"
    PRIVATE "${nanobind_folder}/ext/robin_map/include")
  target_compile_definitions(refquake_nanobind PUBLIC NB_FREE_THREADED)
  target_compile_options(refquake_nanobind PRIVATE -w -fvisibility=hidden -fno-strict-aliasing)
  target_link_libraries(refquake_nanobind PRIVATE refquake_sanitize PUBLIC refquake_python)
  refquake_add_extension(bindtree_nanobind
    SOURCES bindtree_nanobind/bindtree_nanobind.cc LIBRARIES refquake_nanobind)
endif()

refquake_ask_package(cython_version Cython "Cython.__version__")
if(cython_version)
  set(cython_source "${CMAKE_CURRENT_SOURCE_DIR}/bindtree_cython/bindtree_cython.pyx")
  set(cython_output "${CMAKE_CURRENT_BINARY_DIR}/bindtree_cython.c")
  add_custom_command(OUTPUT "${cython_output}"
    COMMAND "${REFQUAKE_VENV_PYTHON}" -m cython "${cython_source}" -o "${cython_output}"
    DEPENDS "${cython_source}" VERBATIM)
  add_library(refquake_cython INTERFACE)
  target_compile_options(refquake_cython INTERFACE -w) # the code is Cython's
  refquake_add_extension(bindtree_cython
    SOURCES "${cython_output}" PLANTS_FROM bindtree_cython/bindtree_cython.pyx LIBRARIES refquake_cython)
endif()

#!/bin/bash -eu
# Builds the bundled fuzz binaries of every sample target into $OUT, with all they need at run time.
#
# Environment: OSS-Fuzz's ($SRC $OUT $WORK $CC $CXX $CFLAGS $CXXFLAGS $LIB_FUZZING_ENGINE $SANITIZER), and
#   REFQUAKE_TARGETS          targets to build, separated by spaces (default: those listed below)
#   REFQUAKE_PROFILES         profiles to build each of them for (default: all)
#   REFQUAKE_PYTHON_PREFIX    an interpreter built before (default: build $SRC/cpython)
#
# Thread sanitizer is not among OSS-Fuzz's sanitizers: run `refquake nightly` for data races (docs/scaling.md).
root=$SRC/refquake
targets=${REFQUAKE_TARGETS:-node delegate ring cache emitter counter}
profiles=${REFQUAKE_PROFILES:-lifecycle threads reentry nomem}

case $SANITIZER in
address) flavour=asan ;;
undefined | coverage) flavour=plain ;;
*)
  echo "build.sh: sanitizer '$SANITIZER' is not supported: use address, undefined or coverage" >&2
  exit 1
  ;;
esac

# CMake adds the flavour's sanitizer where it belongs; parts of the harness must stay without. What is left
# of the flags is passed on; the undefined and coverage sanitizers' own go to the code under test.
without_sanitizers() {
  local kept=() flag
  for flag in $1; do
    case $flag in
    -fsanitize* | -fno-sanitize* | -fprofile-instr-generate | -fcoverage-mapping) ;;
    *) kept+=("$flag") ;;
    esac
  done
  echo "${kept[*]-}"
}

sanitizer_flags() {
  local kept=() flag
  [[ $flavour == plain ]] || return 0
  for flag in $CFLAGS; do
    case $flag in
    -fsanitize=fuzzer*) ;;
    -fsanitize* | -fno-sanitize* | -fprofile-instr-generate | -fcoverage-mapping) kept+=("$flag") ;;
    esac
  done
  # Wrapping unsigned arithmetic is defined, and Py_INCREF relies on it; CPython calls slots and methods through
  # pointers of other types.
  [[ $SANITIZER != undefined ]] || kept+=(-fno-sanitize=unsigned-integer-overflow,function)
  echo "${kept[*]-}"
}

build_interpreter() {
  local prefix=$WORK/python-$flavour configure
  mapfile -t configure < <(python3 "$root/oss-fuzz/configure_flags.py" "$flavour")
  mkdir -p "$WORK/cpython-$flavour"
  (
    cd "$WORK/cpython-$flavour"
    # The interpreter runs during its own build: leaks and findings there are not ours.
    export ASAN_OPTIONS=detect_leaks=0 CFLAGS="" CXXFLAGS="" LDFLAGS=""
    "$SRC/cpython/configure" --prefix="$prefix" "${configure[@]}"
    make -j"$(nproc)"
    make altbininstall inclinstall libainstall libinstall
  ) >&2
  echo "$prefix"
}

prefix=${REFQUAKE_PYTHON_PREFIX:-}
[[ -n $prefix ]] || prefix=$(build_interpreter)

build=$WORK/refquake-$SANITIZER
cmake -S "$root" -B "$build" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_C_FLAGS="$(without_sanitizers "$CFLAGS")" -DCMAKE_CXX_FLAGS="$(without_sanitizers "$CXXFLAGS")" \
  -DREFQUAKE_FLAVOUR="$flavour" -DREFQUAKE_PYTHON_PREFIX="$prefix" -DREFQUAKE_LINKER=lld \
  -DREFQUAKE_SANITIZE_FLAGS="$(sanitizer_flags)" \
  -DREFQUAKE_BUNDLE="${targets// /;}" -DREFQUAKE_BUNDLE_PROFILES="${profiles// /;}" \
  -DREFQUAKE_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$build" --target bundle

# Beside the binaries: the modules, and the standard library without what no target imports.
cp -r "$build"/bundle/* "$OUT"/
library=$(basename "$(dirname "$(find "$prefix/lib" -mindepth 2 -maxdepth 2 -name os.py)")")
mkdir -p "$OUT/python/lib/$library/lib-dynload"
tar -C "$prefix/lib/$library" --exclude=lib-dynload --exclude=__pycache__ --exclude='config-*' \
  --exclude=test --exclude=idlelib --exclude=tkinter --exclude=ensurepip --exclude=site-packages -cf - . |
  tar -C "$OUT/python/lib/$library" -xf -

# Seeds are program text in the repository; the binary itself writes them as bytes.
for target in $targets; do
  for profile in $profiles; do
    binary=$OUT/fuzz_${target}_$profile
    seeds=$WORK/seeds/${target}_$profile
    rm -rf "$seeds" && mkdir -p "$seeds"
    for text in "$root/corpus/$target/seeds"/*.prog; do
      # A program with more lanes than the profile runs is no seed of it.
      "$binary" --encode="$text,$seeds/$(basename "$text" .prog)" 2>>"$WORK/seeds.log" || true
    done
    (cd "$seeds" && zip -q -r "${binary}_seed_corpus.zip" .)
    cp "$root/oss-fuzz/refquake.options" "$binary.options"
    cp "$root/oss-fuzz/refquake.dict" "$binary.dict"
  done
done

#!/bin/bash
# Builds oss-fuzz/ as OSS-Fuzz's base-builder would, then checks what is in $OUT as its bad_build_check would.
# No container engine is needed.
#
#   check_ossfuzz.sh ROOT PREFIX SANITIZER     SANITIZER: address or undefined; PREFIX: an interpreter of its flavour
#
# The build runs on a copy of the sources with base-builder's environment. Then $OUT is moved, and sources and build
# tree are gone: what still runs needs $OUT alone. REFQUAKE_TARGETS names the targets (default: node), REFQUAKE_PROFILES the
# profiles.
set -eu
root=$(realpath "$1") prefix=$(realpath "$2") sanitizer=$3
targets=${REFQUAKE_TARGETS:-node} profiles=${REFQUAKE_PROFILES:-lifecycle threads reentry nomem}
home=$(mktemp -d /tmp/refquake-ossfuzz.XXXXXX)
trap 'rm -rf "$home"' EXIT

fail() {
  echo "check_ossfuzz: $*" >&2
  exit 1
}

# The same words as base-builder's compile script, for the compilers that are here.
export SRC=$home/src OUT=$home/out WORK=$home/work SANITIZER=$sanitizer FUZZING_LANGUAGE=c++ ARCHITECTURE=x86_64
export CC=clang-19 CXX=clang++-19 FUZZING_ENGINE=libfuzzer LIB_FUZZING_ENGINE=-fsanitize=fuzzer
base="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
case $sanitizer in
address) base+=" -fsanitize=address -fsanitize-address-use-after-scope" ;;
undefined)
  checks=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return
  checks+=,returns-nonnull-attribute,shift,signed-integer-overflow,unsigned-integer-overflow,unreachable,vla-bound,vptr
  base+=" -fsanitize=$checks -fno-sanitize-recover=$checks"
  ;;
*) fail "no such sanitizer here: $sanitizer" ;;
esac
# base-builder adds -stdlib=libc++, which its own libFuzzer is built on; the distribution's is built on libstdc++.
export CFLAGS="$base -fsanitize=fuzzer-no-link" CXXFLAGS="$base -fsanitize=fuzzer-no-link"
export REFQUAKE_PYTHON_PREFIX=$prefix REFQUAKE_TARGETS=$targets REFQUAKE_PROFILES=$profiles

mkdir -p "$SRC" "$OUT" "$WORK"
tar -C "$root" --exclude=./build --exclude=./.git --exclude=./refquake-out --exclude=./refquake-nightly -cf - . |
  (mkdir "$SRC/refquake" && tar -C "$SRC/refquake" -xf -)
cp "$root/oss-fuzz/build.sh" "$SRC/"
(cd "$SRC/refquake" && bash -eu "$SRC/build.sh") || fail "build.sh failed"

# A variant with a planted bug takes the clean module's place at the end.
[[ $sanitizer == address ]] && cmake --build "$WORK/refquake-$sanitizer" --target node_missing_untrack &&
  cp "$WORK/refquake-$sanitizer/targets/node/missing_untrack/node.so" "$home/planted.so"
mv "$OUT" "$home/elsewhere"
rm -rf "$SRC" "$WORK"
out=$home/elsewhere
unset CFLAGS CXXFLAGS REFQUAKE_PYTHON_PREFIX SRC OUT WORK
symbolizer=$(command -v llvm-symbolizer-19 || true)
export ASAN_OPTIONS=handle_abort=1:detect_leaks=0:external_symbolizer_path=$symbolizer
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

run_in_scratch() { # NAME COMMAND...: its output in $home/NAME.log; the folder it ran in must stay empty
  local name=$1 scratch=$home/cwd
  shift
  rm -rf "$scratch" && mkdir "$scratch"
  (cd "$scratch" && timeout 300 "$@") >"$home/$name.log" 2>&1
}

check_binary() {
  local binary=$1 name seeds
  name=$(basename "$binary")
  seeds=$home/seeds/$name
  case $sanitizer in
  address) [[ $(nm "$binary" | grep -c ' T __asan_init$') == 1 ]] || fail "$name has no address sanitizer" ;;
  undefined)
    nm "$out/modules"/*/*.so | grep -q ' U __ubsan_handle' || fail "the modules have no undefined sanitizer"
    ;;
  esac
  nm "$out/modules"/*/*.so | grep -q '__sanitizer_cov' || fail "the modules have no coverage"
  ldd "$binary" | grep -qE 'not found|libpython' && fail "$name needs libraries that are not there: $(ldd "$binary")"
  run_in_scratch start "$binary" -runs=0 || fail "$name does not start: $(tail -5 "$home/start.log")"
  mkdir -p "$seeds" && unzip -q -o "${binary}_seed_corpus.zip" -d "$seeds"
  [[ -n $(ls "$seeds") ]] || fail "$name has no seeds"
  [[ -f $binary.options && -f $binary.dict ]] || fail "$name lacks .options or .dict"
  run_in_scratch seeds "$binary" -runs=0 -dict="$binary.dict" "$seeds" || fail "$name fails on its seeds: $(tail -30 "$home/seeds.log")"
  run_in_scratch inputs "$binary" -runs=1000 -max_len=520 -seed=1 "$seeds" || fail "$name fails: $(tail -30 "$home/inputs.log")"
  grep -q 'Done 1[0-9]* runs' "$home/inputs.log" || fail "$name did not run 1,000 inputs: $(tail -3 "$home/inputs.log")"
  grep -qE 'INFO: Loaded 2 modules|INFO: Loaded [0-9]+ PC tables' "$home/inputs.log" || fail "$name sees no coverage"
  echo "ok: $name starts, is instrumented, runs $(ls "$seeds" | wc -l) seeds and 1000 inputs"
}

found=0
for binary in "$out"/fuzz_*; do
  [[ -x $binary && ! -d $binary && $(basename "$binary") != *.* ]] || continue
  check_binary "$binary"
  found=$((found + 1))
done
[[ $found == $(($(wc -w <<<"$targets") * $(wc -w <<<"$profiles"))) ]] ||
  fail "$found binaries in \$OUT, expected $profiles for each of: $targets"

if [[ $sanitizer == address ]]; then
  binary=$out/fuzz_node_lifecycle
  run_in_scratch proof "$binary" --self-proof=1 -runs=0 || fail "the self-proof fails: $(tail -5 "$home/proof.log")"
  cp "$home/planted.so" "$out/modules/node/node.so"
  mkdir "$home/found"
  run_in_scratch planted "$binary" -runs=20000 -seed=1 -artifact_prefix="$home/found/" && fail "the planted bug was not found"
  artefact=$(sed -n 's/^.*Test unit written to //p' "$home/planted.log" | head -1)
  [[ -s $artefact ]] || fail "the planted bug left no artefact: $(tail -20 "$home/planted.log")"
  grep -q 'ERROR: AddressSanitizer: ABRT' "$home/planted.log" || fail "the planted bug is no crash: $(tail -20 "$home/planted.log")"
  run_in_scratch again "$binary" "$artefact" && fail "the planted bug does not happen again"
  grep -q 'SUMMARY: still-tracked-at-free node.Node' "$home/again.log" || fail "it is another bug: $(tail -20 "$home/again.log")"
  echo "ok: a planted still-tracked-at-free is found, and happens again from its artefact"
fi
echo "passed: $found binaries, $sanitizer"

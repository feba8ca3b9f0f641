#include "driver/flight_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/program.h"
#include "sched/module_base.h"
#include "sched/token.h"

// Declared weak: absent in the plain flavour.
extern "C" void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

namespace refquake {
namespace {

constexpr int kMaxShownSwitches = 32;  // of more, nobody reads where each is
constexpr int kMaxToldOrder = 1024;    // a longer run has been spinning: no minimiser makes anything of it

FlightRecord g_unmapped;
FlightRecord* g_record = &g_unmapped;
char g_prefix[kMaxPrefix + 1];
char g_path[kMaxPrefix + 64];
char g_beside[kMaxPrefix + 80];

// Raw system calls: libc's wrappers are intercepted by the sanitizers.
bool WriteAll(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const long written = syscall(SYS_write, fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

size_t Length(const char* text) {
  size_t length = 0;
  while (text[length]) ++length;
  return length;
}

char* Append(char* at, const char* text) {
  while (*text) *at++ = *text++;
  *at = 0;
  return at;
}

uint64_t Fnv1a(const uint8_t* data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 0x100000001b3ull;
  return hash;
}

char* AppendNumber(char* at, uint64_t number) {
  char digits[24];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *at++ = digits[--count];
  return at;
}

char* AppendHex(char* at, uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[(number >> shift) & 15];
  return at;
}

// "==refquake== SWITCH: 12>1 from 0 store /path/node.so+0x1a2b"
void WriteSwitch(const sched::SwitchRecord& entry) {
  char line[256];
  char* at = Append(line, "==refquake== SWITCH: ");
  at = AppendNumber(at, entry.step);
  *at++ = '>';
  at = AppendNumber(at, static_cast<uint64_t>(entry.to));
  at = Append(at, " from ");
  at = entry.from < 0 ? Append(at, "-") : AppendNumber(at, static_cast<uint64_t>(entry.from));
  *at++ = ' ';
  at = Append(at, sched::KindName(entry.kind));
  WriteAll(2, line, static_cast<size_t>(at - line));
  if (const sched::CodePlace place = sched::PlaceOf(entry.pc); place.file) {
    WriteAll(2, " ", 1);
    WriteAll(2, place.file, Length(place.file));
    at = AppendHex(Append(line, "+0x"), place.offset);
    WriteAll(2, line, static_cast<size_t>(at - line));
  }
  WriteAll(2, "\n", 1);
}

// "==refquake== ORDER: ->0@0 0.3+12>1@57", every hand-over, those included that nobody asked for: at step 57, lane 0
// has come to its third op boundary and 12 steps further, and lane 1 takes over.
void WriteOrder(const sched::SteppedRun& run) {
  if (run.recorded > kMaxToldOrder || run.switches > static_cast<uint32_t>(run.recorded)) return;
  constexpr char kHead[] = "==refquake== ORDER:";
  WriteAll(2, kHead, sizeof(kHead) - 1);
  for (int i = 0; i < run.recorded; ++i) {
    const sched::SwitchRecord& made = run.record[i];
    char entry[96];
    char* at = Append(entry, " ");
    if (made.from < 0) {
      at = Append(at, "-");
    } else {
      at = Append(AppendNumber(at, static_cast<uint64_t>(made.from)), ".");
      at = Append(AppendNumber(at, made.begun), "+");
      at = AppendNumber(at, made.into);
    }
    at = AppendNumber(Append(at, ">"), static_cast<uint64_t>(made.to));
    at = AppendNumber(Append(at, "@"), made.step);
    WriteAll(2, entry, static_cast<size_t>(at - entry));
  }
  WriteAll(2, "\n", 1);
}

}  // namespace

void WriteSchedule() {
  const sched::SteppedRun run = sched::RunSoFar();
  if (run.steps == 0) return;
  constexpr char kHead[] = "==refquake== SCHEDULE: replay(";
  WriteAll(2, kHead, sizeof(kHead) - 1);
  int written = 0;
  bool whole = run.switches == static_cast<uint32_t>(run.recorded);
  for (int i = 0; i < run.recorded; ++i) {
    const sched::SwitchRecord& made = run.record[i];
    if (made.by_default) continue;
    whole = whole && made.step <= UINT16_MAX && written < kMaxSwitches;
    if (!whole) break;
    char entry[64];
    char* at = written++ == 0 ? entry : Append(entry, ", ");
    at = AppendNumber(at, made.step);
    *at++ = '>';
    at = AppendNumber(at, static_cast<uint64_t>(made.to));
    WriteAll(2, entry, static_cast<size_t>(at - entry));
  }
  char tail[128];
  char* at = Append(tail, whole ? ") steps " : ", ...) steps ");
  at = AppendNumber(at, run.steps);
  at = Append(at, " hash ");
  at = AppendHex(at, run.hash);
  *at++ = '\n';
  WriteAll(2, tail, static_cast<size_t>(at - tail));
  int shown = 0;
  for (int i = 0; i < run.recorded && shown < kMaxShownSwitches; ++i) {
    if (run.record[i].by_default) continue;
    WriteSwitch(run.record[i]);
    ++shown;
  }
  WriteOrder(run);
}

namespace {

void OnDeath() {
  // In discovery there is no program to keep: the call is the reproducer.
  if (g_record->inputs == 0 && g_record->input_size > 0) {
    constexpr char kTrial[] = "==refquake== TRIAL: ";
    WriteAll(2, kTrial, sizeof(kTrial) - 1);
    WriteAll(2, g_record->input, g_record->input_size);
    WriteAll(2, "\n", 1);
    return;
  }
  if (g_record->inputs == 0) return;  // no program has run: there is nothing to keep
  WriteSchedule();
  const char* path = WriteArtefact(g_prefix);
  constexpr char kLine[] = "==refquake== ARTEFACT: ";
  constexpr char kFailed[] = "==refquake== the artefact could not be written\n";
  if (!path) {
    WriteAll(2, kFailed, sizeof(kFailed) - 1);
    return;
  }
  WriteAll(2, kLine, sizeof(kLine) - 1);
  WriteAll(2, path, Length(path));
  WriteAll(2, "\n", 1);
}

}  // namespace

const char* OpenFlightRecorder(const char* path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return "cannot open the state file";
  if (ftruncate(fd, sizeof(FlightRecord)) < 0) {
    close(fd);
    return "cannot size the state file";
  }
  void* mapped = mmap(nullptr, sizeof(FlightRecord), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return "cannot map the state file";
  g_record = static_cast<FlightRecord*>(mapped);
  *g_record = FlightRecord{};
  __builtin_memcpy(g_record->magic, "refquake", sizeof(g_record->magic));
  g_record->version = 2;
  return nullptr;
}

FlightRecord& Recorder() { return *g_record; }

void AmendInput(const uint8_t* data, size_t size) {
  if (size > kMaxRecordedInput) size = kMaxRecordedInput;
  __builtin_memcpy(g_record->input, data, size);
  g_record->input_size = static_cast<uint32_t>(size);
}

void RecordInput(const uint8_t* data, size_t size) {
  AmendInput(data, size);
  ++g_record->inputs;
}

void RecordTrial(const char* text, size_t size) {
  if (size > kMaxRecordedInput) size = kMaxRecordedInput;
  __builtin_memcpy(g_record->input, text, size);
  g_record->input_size = static_cast<uint32_t>(size);
}

void InstallDeathCallback(const char* artefact_prefix) {
  Append(g_prefix, artefact_prefix);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(OnDeath);
}

const char* ArtefactPath(const char* prefix) {
  char* at = Append(g_path, prefix);
  at = Append(at, "crash-");
  const uint64_t hash = Fnv1a(g_record->input, g_record->input_size);
  at = AppendHex(at, hash);
  *at = 0;
  return g_path;
}

const char* WriteArtefact(const char* prefix) {
  const char* path = ArtefactPath(prefix);
  Append(Append(g_beside, path), ".part");
  const long fd = syscall(SYS_open, g_beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return nullptr;
  const bool written = WriteAll(static_cast<int>(fd), g_record->input, g_record->input_size);
  syscall(SYS_close, fd);
  if (written && syscall(SYS_rename, g_beside, path) == 0) return path;
  syscall(SYS_unlink, g_beside);
  return nullptr;
}

}  // namespace refquake

// Called by a selected plant (targets/plant.h), from any lane: nothing that ThreadSanitizer would see.
// Written once or twice: lanes that all wrote would be slowed down where a race is to happen.
extern "C" void refquake_note_plant(int how) {
  uint64_t* planted = &refquake::Recorder().planted;
  const auto value = static_cast<uint64_t>(how);
  uint64_t before = __atomic_load_n(planted, __ATOMIC_RELAXED);
  while (before < value) {
    if (__atomic_compare_exchange_n(planted, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
  }
}

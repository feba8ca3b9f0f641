// Flight recorder: the current input and the counters, where they survive any death of the process.
//
//   OpenFlightRecorder("run.state");            // maps the file; without it, memory of the process
//   Recorder().BeginInput(data, size);
//
// The file holds one FlightRecord, native byte order. The command reads it while the process runs and
// after it died, by SIGKILL too.
//
// Contract: this file is built without sanitizers: the death callback uses it while the sanitizer
// runtime holds its locks. One writer thread.
#ifndef REFQUAKE_DRIVER_FLIGHT_RECORDER_H_
#define REFQUAKE_DRIVER_FLIGHT_RECORDER_H_

#include <cstddef>
#include <cstdint>

namespace refquake {

inline constexpr size_t kMaxRecordedInput = 8192;
inline constexpr size_t kMaxPrefix = 4000;  // of artefacts; no path the system takes is longer

struct FlightRecord {
  char magic[8];        // "refquake"
  uint32_t version;     // 2
  uint32_t input_size;  // of the input that runs, or ran last
  uint64_t inputs;      // begun so far
  uint64_t ok;          // ops that succeeded
  uint64_t errors;      // ops that raised
  uint64_t skipped;     // ops that found no fitting object in their slots
  uint64_t planted;     // 1: a program reached a sample extension's planted bug; 2: triggered it (targets/plant.h)
  uint8_t input[kMaxRecordedInput];
};

// Returns null, or an error text (static storage).
const char* OpenFlightRecorder(const char* path);
FlightRecord& Recorder();
void RecordInput(const uint8_t* data, size_t size);
// In place of the input that was recorded last: it is run in another form than it came in.
void AmendInput(const uint8_t* data, size_t size);
// During discovery, before the first input: the trial call that runs, as text; nothing between calls.
void RecordTrial(const char* text, size_t size);

// Writes to standard error how the lanes of the run in progress, or of the last one, were stepped: the switches as a
// program's schedule with the number of steps and the trace hash, then where each of the first of them is, then every
// hand-over with how far each lane had come. Behind the last that a program can hold stands "..."; then it is none.
// Nothing if lanes ran free.
void WriteSchedule();

// Called by the sanitizer runtime on its way out: writes the recorded input as an artefact. Installed by
// InstallDeathCallback, which must come after libFuzzer has installed its own. A prefix has at most
// kMaxPrefix bytes.
void InstallDeathCallback(const char* artefact_prefix);

// Path of the artefact for the recorded input: PREFIX + "crash-" + 16 hex digits. Static storage.
const char* ArtefactPath(const char* prefix);
// Writes the recorded input there, beside first, then renamed. Returns the path, or null.
const char* WriteArtefact(const char* prefix);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_FLIGHT_RECORDER_H_

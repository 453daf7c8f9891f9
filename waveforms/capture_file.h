// Frames for Wireshark: a pcapng file (draft-ietf-opsawg-pcapng) with an interface a tap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tlm/base/time.h"
#include "tlm/observe/probe.h"
#include "waveforms/output_file.h"

namespace railyard {

/// A frame's time is that of its last bit at the interface, its nanosecond begun (Wireshark 4.0
/// misreads finer stamps). Frames are written in the order of (time in picoseconds, interface,
/// order of the interface's calls), once simulated time has passed them: the file does not depend
/// on the order of calls among interfaces. A frame that never ended, because its link was cut or
/// the run was over, is not in the file.
///
/// A frame is whole, with ICRC and FCS, if its payload is carried or it has none. Otherwise it is
/// cut after the headers, with its true length as original length. A bad FCS is inverted, and
/// marked in epb_flags, as are direction and FCS length.
class CaptureFile : public FrameSink {
 public:
  /// `clock` gives simulated time. ConfigError for a path that does not end in .pcapng or cannot be
  /// written. Write errors throw std::runtime_error, once, from whatever call meets them.
  CaptureFile(const std::string& path, std::function<Time()> clock);
  /// Frames still held are lost if close() was not called.
  ~CaptureFile() override = default;

  /// Connects all taps of the registry.
  void connect(ProbeRegistry& registry);

  void frame(std::uint32_t interface, Direction direction, const net::Packet& packet,
             Time end) override;
  void cut(std::uint32_t interface, Time now) override;

  /// What ended before now is on disk, in whole blocks.
  void flush();
  /// Writes what has ended, until `now` inclusive. Nothing to do if closed.
  void close(Time now);

 private:
  struct Held {
    Time end;
    std::uint64_t sequence;
    std::uint32_t interface;
    std::uint32_t slot;  // of blocks_
  };

  static bool later(const Held& a, const Held& b);
  void write_until(Time end);  // inclusive

  OutputFile file_;
  std::function<Time()> clock_;
  std::vector<std::uint64_t> sequences_;  // of each interface
  std::vector<Held> heap_;                // by later(): the first to write in front
  std::vector<std::string> blocks_;       // encoded; slots are reused
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint8_t> bytes_;  // of the frame in work
  bool closed_ = false;
};

}  // namespace railyard

// What an architect can look at while a model runs: signals (Probe), frames (FrameTap), spans of
// time (SpanProbe). A model writes to them without knowing who listens; one that nobody listens to
// costs one branch. Writers (waveforms/) implement the sinks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tlm/base/time.h"

namespace railyard {

enum class ProbeKind : std::uint8_t { kUnsigned, kReal, kEnum };

/// What a probe is. `name` is hierarchical with dots ("a.queue_bytes"); `unit` as in metrics.
struct ProbeInfo {
  std::string name;
  ProbeKind kind = ProbeKind::kUnsigned;
  std::uint32_t width = 64;  // bits; 1 to 64; 64 for kReal
  std::string unit;
  std::string doc;
  std::vector<std::string> enum_names;  // kEnum: the name of value 0, 1, ...
};

/// Receives changes of probes. `id` is what the sink returned when it was connected. A kReal value
/// is the bit pattern of a double. `now` never decreases within one partition.
class ProbeSink {
 public:
  virtual ~ProbeSink() = default;
  virtual void change(std::uint32_t id, std::uint64_t value, Time now) = 0;
};

/// A traced value. Owned by the model as a member, registered by name at construction.
class Probe {
 public:
  void set(std::uint64_t value, Time now) {
    value_ = value;
    if (sink_ != nullptr) emit(now);
  }
  void set_real(double value, Time now);
  /// Somebody looks.
  bool on() const { return sink_ != nullptr; }
  /// The last value set (kReal: the bit pattern).
  std::uint64_t value() const { return value_; }

  /// Called by ProbeRegistry::connect.
  void connect(ProbeSink* sink, std::uint32_t id) {
    sink_ = sink;
    id_ = id;
    emitted_ = value_;
  }

 private:
  void emit(Time now) {
    if (value_ == emitted_) return;
    emitted_ = value_;
    sink_->change(id_, value_, now);
  }

  ProbeSink* sink_ = nullptr;
  std::uint64_t value_ = 0;
  std::uint64_t emitted_ = 0;
  std::uint32_t id_ = 0;
};

namespace net {
struct Packet;
}

enum class Direction : std::uint8_t { kInbound = 1, kOutbound = 2 };

/// Sees every frame that an interface sends or receives.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// `end` is the time of the frame's last bit at this interface, never before the time of the
  /// call; the packet is only valid during the call.
  virtual void frame(std::uint32_t interface, Direction direction, const net::Packet& packet,
                     Time end) = 0;
  /// The interface's link went down at `now`: frames announced with a later end never completed.
  virtual void cut(std::uint32_t interface, Time now) = 0;
};

/// A place where frames can be captured. One branch when off.
class FrameTap {
 public:
  bool on() const { return sink_ != nullptr; }
  void frame(Direction direction, const net::Packet& packet, Time end) {
    if (sink_ != nullptr) sink_->frame(interface_, direction, packet, end);
  }
  void cut(Time now) {
    if (sink_ != nullptr) sink_->cut(interface_, now);
  }
  void connect(FrameSink* sink, std::uint32_t interface) {
    sink_ = sink;
    interface_ = interface;
  }

 private:
  FrameSink* sink_ = nullptr;
  std::uint32_t interface_ = 0;
};

struct TapInfo {
  std::string name;  // the interface's name in the capture
  std::string doc;
  std::uint64_t bits_per_second = 0;  // 0: unknown
};

/// Receives spans for a timeline. Times in picoseconds; `lane` as returned at connection.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual void span(std::uint32_t lane, std::string_view name, Time begin, Time end,
                    std::string_view argument_name, std::uint64_t argument) = 0;
};

/// A lane of a timeline. One branch when off.
class SpanProbe {
 public:
  bool on() const { return sink_ != nullptr; }
  /// A span from `begin` to `end` (end may lie in the future), with one named number.
  void span(std::string_view name, Time begin, Time end, std::string_view argument_name,
            std::uint64_t argument) {
    if (sink_ != nullptr) sink_->span(lane_, name, begin, end, argument_name, argument);
  }
  void connect(SpanSink* sink, std::uint32_t lane) {
    sink_ = sink;
    lane_ = lane;
  }

 private:
  SpanSink* sink_ = nullptr;
  std::uint32_t lane_ = 0;
};

struct LaneInfo {
  std::string name;  // hierarchical; the part before the last dot is the timeline's process
  std::string doc;
};

/// Something worth stopping a ring for: "drop", "xoff", "mark". Raised by models whenever it
/// happens; told, the first time alone, to --trace-trigger and to who says when it first happened.
/// One branch when nobody listens, or all have been told.
class Moment {
 public:
  using Listener = std::function<void(Time)>;

  void raise(Time now) {
    if (listeners_.empty()) return;
    for (const Listener* listener : std::exchange(listeners_, {})) (*listener)(now);
  }
  /// Is called once, when it is raised next. It outlives the run.
  void listen(const Listener* listener) { listeners_.push_back(listener); }

 private:
  std::vector<const Listener*> listeners_;
};

struct MomentInfo {
  std::string name;  // hierarchical: "<module>.<moment>"
  std::string doc;
};

/// All probes, taps, lanes and moments of a simulation, in order of name once sealed, so that
/// nothing that a writer makes depends on the order of construction.
class ProbeRegistry {
 public:
  template <class Point, class Info>
  struct Entry {
    Point* point;
    Info info;
  };

  void add(Probe& probe, ProbeInfo info) { probes_.push_back({&probe, std::move(info)}); }
  void add(FrameTap& tap, TapInfo info) { taps_.push_back({&tap, std::move(info)}); }
  void add(SpanProbe& lane, LaneInfo info) { lanes_.push_back({&lane, std::move(info)}); }
  void add(Moment& moment, MomentInfo info) { moments_.push_back({&moment, std::move(info)}); }

  /// Sorts all by name. Throws std::logic_error on two of one kind with the same name.
  void seal();

  std::vector<Entry<Probe, ProbeInfo>>& probes() { return probes_; }
  std::vector<Entry<FrameTap, TapInfo>>& taps() { return taps_; }
  std::vector<Entry<SpanProbe, LaneInfo>>& lanes() { return lanes_; }
  std::vector<Entry<Moment, MomentInfo>>& moments() { return moments_; }

 private:
  std::vector<Entry<Probe, ProbeInfo>> probes_;
  std::vector<Entry<FrameTap, TapInfo>> taps_;
  std::vector<Entry<SpanProbe, LaneInfo>> lanes_;
  std::vector<Entry<Moment, MomentInfo>> moments_;
};

}  // namespace railyard

// How a controller decides: queues, scheduling, pages, writes, refresh, ECC.
#pragma once

#include <cstdint>

#include "tlm/base/time.h"
#include "tlm/config/parameters.h"

namespace railyard::hbm {

enum class Scheduling : std::uint8_t {
  kFrFcfs,  // row hits first, the oldest of them; a request older than the age limit before them
  kFcfs,    // data in order of arrival a pseudo-channel; banks are opened ahead
};
enum class PagePolicy : std::uint8_t {
  kOpen,      // a row stays open until another is wanted
  kClosed,    // the last request that waits for a row closes it, by auto-precharge
  kAdaptive,  // a row without requests closes after a time that each bank learns
};
enum class RefreshMode : std::uint8_t { kOff, kAllBank, kPerBank };
enum class WriteResponse : std::uint8_t { kAccepted, kWritten };
enum class EccMode : std::uint8_t { kNone, kOnDie, kSideband, kInline };

struct WriteDrainConfig {
  unsigned high = 48;             // writes that wait: drain begins
  unsigned low = 16;              // and ends, if reads wait
  Time idle = 100 * kNanosecond;  // without reads, after which writes below `high` are drained
  void declare(Parameters& p);
};

struct PageConfig {
  PagePolicy policy = PagePolicy::kOpen;
  unsigned timeout = 64;      // CK; adaptive: where a bank begins
  unsigned timeout_min = 16;  // and between what it learns
  unsigned timeout_max = 1024;
  void declare(Parameters& p);
};

struct RefreshConfig {
  RefreshMode mode = RefreshMode::kAllBank;
  unsigned postpone = 0;   // refreshes of a SID that may be owed while requests wait, 0 to 8
  bool staggered = false;  // SIDs and pseudo-channels refresh apart, not all at once
  void declare(Parameters& p);
};

struct EccConfig {
  EccMode mode = EccMode::kNone;
  unsigned lines = 8;  // inline: ECC accesses that a pseudo-channel keeps
  void declare(Parameters& p);
};

struct ControllerConfig {
  // Of a pseudo-channel. With 32 reads it comes to what public controllers come to in each pattern.
  unsigned read_queue = 32;
  unsigned write_queue = 64;
  Scheduling scheduling = Scheduling::kFrFcfs;
  Time age_limit = 2 * kMicrosecond;  // 0: none
  PageConfig page;
  WriteDrainConfig drain;
  RefreshConfig refresh;
  EccConfig ecc;
  WriteResponse write_response = WriteResponse::kAccepted;
  bool forward = true;     // a read of what waits to be written is answered from the write queue
  Time front_latency = 0;  // from the request's arrival to the queue
  Time back_latency = 0;   // from the end of the data on the bus to the response

  void declare(Parameters& p);
};

}  // namespace railyard::hbm

// What congestion control keeps of a queue pair, as a NIC's QP context holds it: one line of 64
// bytes, little-endian words of 64 bits, no field across two of them. It is what the memories of
// dcqcn_rp, pacer and dcqcn_np hold of the queue pair, so that it can move between them and memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rtl/model/dcqcn_rules.h"

namespace railyard {

struct QpCongestionContext {
  rtl::DcqcnContext reaction;    // dcqcn_rp
  bool pacer_valid = false;      // the queue pair has sent lately
  std::uint64_t pacer_next = 0;  // UQ32.24 cycles
  bool np_valid = false;         // it was sent a CNP lately
  std::uint32_t np_stamp = 0;    // cycles

  bool operator==(const QpCongestionContext& o) const {
    return reaction == o.reaction && pacer_valid == o.pacer_valid && pacer_next == o.pacer_next &&
           np_valid == o.np_valid && np_stamp == o.np_stamp;
  }
};

using QpContextLine = std::array<std::uint64_t, 8>;

struct QpContextField {
  std::string name;
  unsigned word = 0;
  unsigned low = 0;  // its lowest bit
  unsigned bits = 0;
};

/// The fields in order.
std::vector<QpContextField> qp_context_layout();

QpContextLine pack(const QpCongestionContext& context);
QpCongestionContext unpack(const QpContextLine& line);

}  // namespace railyard

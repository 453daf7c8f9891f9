// Names by which waits speak of a port's two sides, the same for every device that speaks PFC, so
// that a wait finds its holder: a paused egress waits for the peer's ingress, which waits for the
// egresses that hold its frames.
#pragma once

#include <string>

namespace railyard {

/// `port` is the hierarchical name of a port.
inline std::string ingress_name(const std::string& port, unsigned priority) {
  return port + ".ingress" + std::to_string(priority);
}
inline std::string egress_name(const std::string& port, unsigned priority) {
  return port + ".egress" + std::to_string(priority);
}

}  // namespace railyard

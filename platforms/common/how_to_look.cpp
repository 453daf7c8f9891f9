#include "platforms/common/how_to_look.h"

#include <filesystem>
#include <system_error>

namespace railyard {

namespace {

/// The one command, as it is typed from here.
std::string command() {
  std::error_code unknown;
  const bool here = std::filesystem::equivalent(".", RAILYARD_SOURCE_DIR, unknown);
  return here ? "./railyard" : RAILYARD_SOURCE_DIR "/railyard";
}

}  // namespace

std::string how_to_look(const CommandLine& line) {
  std::string text;
  const auto add = [&](const std::string& what) {
    text += (text.empty() ? "to look: " : "         ") + what + "\n";
  };
  if (!line.trace.empty()) add(command() + " view " + line.trace);
  if (!line.pcap.empty()) add(command() + " view " + line.pcap);
  if (!line.timeline.empty()) add(line.timeline + " in https://ui.perfetto.dev");
  if (text.empty()) {
    add("--trace FILE.fst or --pcap FILE.pcapng, then");
    add(command() + " view FILE");
  }
  return text;
}

}  // namespace railyard

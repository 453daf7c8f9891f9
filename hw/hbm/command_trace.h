// The commands of a run as a text file, for people, for scripts, and for the checker of commands.
//
//   # CK = 4/5237500000 s; a pseudo-channel has 2 SIDs of 4 groups of 4 banks
//   # tick_in_CK channel pc command sid group bank row column
//   26.5 0 1 ACT 0 3 2 117 -
//
// "-" where a command has no such field. The bank is that of the group.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "hw/hbm/command.h"
#include "hw/hbm/organisation.h"
#include "hw/hbm/timing.h"

namespace railyard::hbm {

class CommandTrace : public CommandListener {
 public:
  /// ConfigError if the file cannot be written.
  CommandTrace(const std::string& path, const Organisation& organisation, const Timing& timing);
  /// Writes what is left, so also when an exception ends the run; errors are lost.
  ~CommandTrace() override;
  CommandTrace(const CommandTrace&) = delete;
  CommandTrace& operator=(const CommandTrace&) = delete;

  void command(const CommandRecord& record) override;
  /// Writes what is left; ConfigError if the disk did not take all. Nothing may follow.
  void close();

 private:
  void write_out();

  std::string path_;
  Organisation organisation_;
  std::ofstream file_;
  std::string text_;  // not yet written
};

/// The commands of a trace. ConfigError with file and line for whatever CommandTrace does not
/// write.
std::vector<CommandRecord> read_command_trace(const std::string& path);

}  // namespace railyard::hbm

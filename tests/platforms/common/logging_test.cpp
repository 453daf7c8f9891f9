#include "platforms/common/logging.h"

#include <gmock/gmock.h>

#include <string>

#include <systemc>

#include "tlm/base/error.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string said(const std::vector<std::string>& rules) {
  testing::internal::CaptureStderr();
  set_up_logging(rules);
  SC_REPORT_WARNING("/railyard/sw0", "a warning of sw0");
  SC_REPORT_INFO("/railyard/sw0", "information of sw0");
  SC_REPORT_INFO_VERB("/railyard/nic0", "detail of nic0", sc_core::SC_DEBUG);
  return testing::internal::GetCapturedStderr();
}

TEST(Logging, SaysWarningsAloneByDefault) {
  const std::string text = said({});
  EXPECT_THAT(text, HasSubstr("/railyard/sw0: a warning of sw0"));
  EXPECT_THAT(text, Not(HasSubstr("information")));
  EXPECT_THAT(text, Not(HasSubstr("detail")));
}

TEST(Logging, TheLastRuleThatMatchesCounts) {
  const std::string text = said({"error", "*/nic*=trace"});
  EXPECT_THAT(text, Not(HasSubstr("sw0")));
  EXPECT_THAT(text, HasSubstr("detail of nic0"));
}

TEST(Logging, ALevelIsForAll) {
  const std::string text = said({"info"});
  EXPECT_THAT(text, HasSubstr("information of sw0"));
  EXPECT_THAT(text, Not(HasSubstr("detail")));
}

TEST(Logging, ErrorsAreThrownWhateverTheLevel) {
  set_up_logging({"error"});
  EXPECT_THROW(SC_REPORT_ERROR("/railyard/x", "broken"), sc_core::sc_report);
  EXPECT_THROW(SC_REPORT_FATAL("/railyard/x", "broken"), sc_core::sc_report);
}

TEST(Logging, ARuleThatIsNoneIsRefused) {
  EXPECT_THROW(set_up_logging({"loud"}), ConfigError);
  EXPECT_THROW(set_up_logging({"*=loud"}), ConfigError);
}

}  // namespace
}  // namespace railyard

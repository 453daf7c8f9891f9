// Quantities: what is read exactly, what is refused and how, and that every formatted value reads
// back as itself.
#include "tlm/base/quantity.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "tlm/base/error.h"
#include "tlm/base/format.h"
#include "tlm/sim/random.h"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The refusal of a text, "" if it is accepted.
template <class Parse>
std::string refusal(Parse parse, const std::string& text) {
  try {
    parse(text);
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.place(), "");
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "";
}

std::string count_refusal(const std::string& text) {
  return refusal([](const std::string& t) { return parse_unsigned(t, 4294967295); }, text);
}

TEST(Time, IsReadInEveryUnit) {
  EXPECT_EQ(parse_time("7ps"), 7);
  EXPECT_EQ(parse_time("7ns"), 7 * kNanosecond);
  EXPECT_EQ(parse_time("1us"), kMicrosecond);
  EXPECT_EQ(parse_time("3ms"), 3 * kMillisecond);
  EXPECT_EQ(parse_time("2s"), 2 * kSecond);
}

TEST(Time, TakesOneSpaceBeforeItsUnit) {
  EXPECT_EQ(parse_time("5 us"), 5 * kMicrosecond);
  EXPECT_NE(refusal(parse_time, "5  us"), "");
  EXPECT_NE(refusal(parse_time, " 5us"), "");
  EXPECT_NE(refusal(parse_time, "5us "), "");
  EXPECT_NE(refusal(parse_time, "5\tus"), "");
}

TEST(Time, KeepsDecimalsThatNoDoubleHolds) {
  EXPECT_EQ(parse_time("0.001ns"), 1);
  EXPECT_EQ(parse_time("4611686.018427387905s"), 4611686018427387905);
  EXPECT_EQ(parse_time("9223372.036854775807s"), kForever);
  EXPECT_EQ(parse_time("1.500000000000000000000000000000000ns"), 1500);
}

TEST(Time, BelowItsResolutionIsRefused) {
  EXPECT_THAT(refusal(parse_time, "0.1ps"), HasSubstr("finer than the resolution of 1ps"));
  EXPECT_THAT(refusal(parse_time, "1.0001ns"), HasSubstr("finer than the resolution"));
  EXPECT_NE(refusal(parse_time, "0.0000000000000000001s"), "");
}

TEST(Time, BeyondItsRangeIsRefused) {
  EXPECT_THAT(refusal(parse_time, "9223372.036854775808s"), HasSubstr("too large"));
  EXPECT_THAT(refusal(parse_time, "99999999999999999999s"), HasSubstr("too large"));
  EXPECT_THAT(refusal(parse_time, std::string(1000, '9') + "s"), HasSubstr("too large"));
}

TEST(Time, WithoutAUnitNamesTheUnits) {
  EXPECT_THAT(refusal(parse_time, "5"),
              StartsWith("\"5\" has no unit; write 5us, or another of ps, ns, us, ms, s"));
  EXPECT_THAT(refusal(parse_time, "0"), HasSubstr("has no unit"));
}

TEST(Time, InAForeignUnitNamesTheUnits) {
  EXPECT_THAT(refusal(parse_time, "5Gbps"),
              HasSubstr("has the unit \"Gbps\", which is not one of a time"));
  EXPECT_THAT(refusal(parse_time, "5US"), HasSubstr("ps, ns, us, ms, s"));
  EXPECT_THAT(refusal(parse_time, "5\xc2\xb5s"), HasSubstr("\\xc2\\xb5s"));
}

TEST(Time, ThatIsNegativeIsRefusedAsSuch) {
  EXPECT_THAT(refusal(parse_time, "-5us"), HasSubstr("is negative"));
}

TEST(Time, InAnyOtherNotationIsRefused) {
  for (const char* text : {"",       "us",      "+5us",  ".5us",  "5.us", "1e3ns",   "1E3ns",
                           "0x10ns", "1_000ns", "1,5us", "010us", "00us", "1.2.3us", "5us5",
                           "5 5us",  "1/2us",   "2*3us", "inf",   "nan",  "5us\n"}) {
    EXPECT_NE(refusal(parse_time, text), "") << text;
  }
  EXPECT_THAT(refusal(parse_time, "010us"), HasSubstr("leading zero"));
}

TEST(Time, LeadingZeroBeforeThePointIsPlain) { EXPECT_EQ(parse_time("0.5us"), 500000); }

TEST(ARate, IsReadInBitsAndBytesASecond) {
  EXPECT_EQ(parse_rate("400Gbps"), Rate::gbps(400));
  EXPECT_EQ(parse_rate("1.6Tbps"), Rate::gbps(1600));
  EXPECT_EQ(parse_rate("63.015GBps"), Rate(504120000000, 1));
  EXPECT_EQ(parse_rate("504.12Gbps"), Rate(504120000000, 1));
  EXPECT_EQ(parse_rate("500Mbps"), Rate(500000000, 1));
  EXPECT_EQ(parse_rate("64Kbps"), Rate(64000, 1));
}

TEST(ARate, MayBeAProductOrQuotientFromLeftToRight) {
  EXPECT_EQ(parse_rate("32*16*128/130Gbps"), Rate(6553600000000, 13));
  EXPECT_EQ(parse_rate("100/2/5Gbps"), Rate::gbps(10));
  EXPECT_EQ(parse_rate("1/3Gbps"), Rate(1000000000, 3));
  EXPECT_EQ(parse_rate("3/2*4Gbps"), Rate::gbps(6));
}

TEST(ARate, WithABrokenExpressionIsRefused) {
  for (const char* text : {"*5Gbps", "5*Gbps", "5/Gbps", "5**5Gbps", "/5Gbps", "5//5Gbps",
                           "5*-5Gbps", "5*05Gbps", "5 * 5Gbps", "(5)Gbps"}) {
    EXPECT_NE(refusal(parse_rate, text), "") << text;
  }
  EXPECT_THAT(refusal(parse_rate, "5/0Gbps"), HasSubstr("divides by zero"));
}

TEST(ARate, OfZeroIsRefused) {
  EXPECT_THAT(refusal(parse_rate, "0Gbps"), HasSubstr("is zero"));
  EXPECT_THAT(refusal(parse_rate, "0*5Gbps"), HasSubstr("is zero"));
}

TEST(ARate, ThatNoByteClockCarriesIsRefused) {
  EXPECT_THAT(refusal(parse_rate, "123456789.123456789bps"), HasSubstr("cannot be kept exactly"));
  EXPECT_THAT(refusal(parse_rate, "1bps"), HasSubstr("cannot be kept exactly"));
  EXPECT_NE(refusal(parse_rate, "99999999999999999999Tbps"), "");
  EXPECT_NE(refusal(parse_rate, "99999999999999999999*99999999999999999999Tbps"), "");
}

TEST(ARate, InOtherUnitsIsRefused) {
  for (const char* text : {"400", "400G", "400gbps", "400Gb/s", "400GB/s", "400us"}) {
    EXPECT_THAT(refusal(parse_rate, text), HasSubstr("Gbps")) << text;
  }
}

TEST(ASize, IsReadInPowersOf1000And1024) {
  EXPECT_EQ(parse_bytes("9MB"), 9'000'000U);
  EXPECT_EQ(parse_bytes("9MiB"), 9U * 1024 * 1024);
  EXPECT_EQ(parse_bytes("1KB"), 1000U);
  EXPECT_EQ(parse_bytes("1KiB"), 1024U);
  EXPECT_EQ(parse_bytes("1.5KiB"), 1536U);
  EXPECT_EQ(parse_bytes("80GB"), 80'000'000'000U);
  EXPECT_EQ(parse_bytes("0B"), 0U);
  EXPECT_EQ(parse_bytes("18446744073709551615B"), UINT64_MAX);
}

TEST(ASize, OfHalfAByteOrBeyond64BitsIsRefused) {
  EXPECT_THAT(refusal(parse_bytes, "0.5B"), HasSubstr("resolution of 1B"));
  EXPECT_THAT(refusal(parse_bytes, "18446744073709551616B"), HasSubstr("too large"));
  EXPECT_THAT(refusal(parse_bytes, "16777216TiB"), HasSubstr("too large"));
  EXPECT_NE(refusal(parse_bytes, "9mb"), "");
  EXPECT_NE(refusal(parse_bytes, "9M"), "");
}

TEST(ALength, IsReadInMicrometres) {
  EXPECT_EQ(parse_length("5m"), metres(5));
  EXPECT_EQ(parse_length("1.5km"), metres(1500));
  EXPECT_EQ(parse_length("0.1mm").micrometres, 100U);
  EXPECT_EQ(parse_length("30cm"), millimetres(300));
  EXPECT_EQ(parse_length("0m"), Length{});
  EXPECT_THAT(refusal(parse_length, "0.1um"), HasSubstr("resolution of 1um"));
  EXPECT_NE(refusal(parse_length, "5ft"), "");
}

TEST(ACount, IsDecimalDigitsAlone) {
  EXPECT_EQ(parse_unsigned("0"), 0U);
  EXPECT_EQ(parse_unsigned("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_unsigned("4294967295", 4294967295), 4294967295U);
  for (const char* text : {"",
                           "-",
                           "+5",
                           "0x10",
                           "0o10",
                           "0b1",
                           "1_000",
                           "1,000",
                           "1e3",
                           "5.0",
                           ".5",
                           " 5",
                           "5 ",
                           "five",
                           "5\n",
                           "-1",
                           "--1",
                           "4294967296",
                           "1:30",
                           "18446744073709551616",
                           "99999999999999999999999"}) {
    EXPECT_NE(count_refusal(text), "") << text;
  }
}

TEST(ACount, NamesTheMistake) {
  EXPECT_THAT(count_refusal("010"), HasSubstr("leading zero, which some read as octal"));
  EXPECT_THAT(count_refusal("5us"), HasSubstr("takes no unit"));
  EXPECT_THAT(count_refusal("4294967296"), HasSubstr("write 0 to 4294967295"));
  EXPECT_THAT(count_refusal("-1"), HasSubstr("is negative"));
}

TEST(AnInteger, KeepsItsBounds) {
  EXPECT_EQ(parse_signed("-5"), -5);
  EXPECT_EQ(parse_signed("-9223372036854775808"), INT64_MIN);
  const auto small = [](const std::string& text) { return parse_signed(text, -128, 127); };
  EXPECT_EQ(small("-128"), -128);
  EXPECT_THAT(refusal(small, "-129"), HasSubstr("write -128 to 127"));
  EXPECT_THAT(refusal(small, "-010"), HasSubstr("leading zero"));
}

TEST(ANumber, IsAFiniteJsonNumber) {
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("-3"), -3.0);
  EXPECT_EQ(parse_number("1e-12"), 1e-12);
  EXPECT_EQ(parse_number("1.25E+3"), 1250.0);
  for (const char* text : {"",      "-",     ".5",     "5.",   "+5",   "01",   "00.5",  "1_0",
                           "0x1p3", "nan",   ".nan",   "inf",  "-inf", ".inf", "1e",    "1e+",
                           "e5",    "1e400", "1e-400", "0.5 ", "50%",  "1,5",  "1e5e5", "--1"}) {
    EXPECT_NE(refusal(parse_number, text), "") << text;
  }
}

TEST(ABool, IsTrueOrFalseAlone) {
  EXPECT_TRUE(parse_bool("true"));
  EXPECT_FALSE(parse_bool("false"));
  for (const char* text : {"True", "TRUE", "yes", "no", "on", "off", "1", "0", "y", ""}) {
    EXPECT_THAT(refusal(parse_bool, text), HasSubstr("write true or false")) << text;
  }
}

TEST(Formatting, IsShortAndExact) {
  EXPECT_EQ(format_rate(Rate::gbps(400)), "400Gbps");
  EXPECT_EQ(format_rate(Rate::gbps(1600)), "1.6Tbps");
  EXPECT_EQ(format_rate(Rate(504120000000, 1)), "504.12Gbps");
  EXPECT_EQ(format_rate(parse_rate("32*16*128/130Gbps")), "32768/65Gbps");
  EXPECT_EQ(format_bytes(9'000'000), "9MB");
  EXPECT_EQ(format_bytes(4096), "4KiB");
  EXPECT_EQ(format_bytes(1500), "1.5KB");
  EXPECT_EQ(format_bytes(1501), "1501B");
  EXPECT_EQ(format_rate(parse_rate("0.4Tbps")), "400Gbps");
  EXPECT_EQ(format_bytes(0), "0B");
  EXPECT_EQ(format_length(metres(1500)), "1.5km");
  EXPECT_EQ(format_length(Length{100}), "100um");
  EXPECT_EQ(format_length(Length{}), "0m");
  EXPECT_EQ(format_time(1500), "1500ps");
  EXPECT_EQ(format_time(0), "0ps");
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(1e-12), "1e-12");
}

/// Numbers of every magnitude, round ones among them.
std::uint64_t any_number(std::mt19937_64& random) {
  std::uint64_t value = random() >> (random() % 64);
  if (random() % 2 == 0) {
    for (std::uint64_t zeros = random() % 13; zeros > 0 && value < UINT64_MAX / 10; --zeros) {
      value *= 10;
    }
  }
  return value;
}

TEST(Formatting, ReadsBackAsTheSameValue) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t value = any_number(random);
    const auto time = static_cast<Time>(value >> 1);
    ASSERT_EQ(parse_time(format_time(time)), time);
    ASSERT_EQ(parse_bytes(format_bytes(value)), value) << format_bytes(value);
    ASSERT_EQ(parse_length(format_length(Length{value})), Length{value});
  }
}

TEST(Formatting, OfRatesReadsBackAsTheSameRate) {
  std::mt19937_64 random(2);
  int kept = 0;
  for (int i = 0; i < 50'000; ++i) {
    Rate rate;
    try {
      rate = Rate(any_number(random), any_number(random) % 100'000);
    } catch (const std::invalid_argument&) {
      continue;  // no ByteClock carries it
    }
    ++kept;
    ASSERT_EQ(parse_rate(format_rate(rate)), rate) << format_rate(rate);
  }
  EXPECT_GT(kept, 1000);
}

TEST(Formatting, OfNumbersReadsBackAsTheSameNumber) {
  RandomStream random(3, "numbers");
  for (int i = 0; i < 50'000; ++i) {
    const double number =
        std::pow(10.0, random.uniform() * 600 - 300) * (random.below(2) == 0 ? 1 : -1);
    ASSERT_EQ(parse_number(format_number(number)), number) << format_number(number);
  }
}

TEST(PrintableText, IsOneShortLineOfAscii) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("a\nb\x1b[31m\xc3\xa9"), "a\\x0ab\\x1b[31m\\xc3\\xa9");
  EXPECT_EQ(printable(std::string(61, 'x')), std::string(57, 'x') + "...");
  EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
  for (std::size_t length = 0; length < 100; ++length) {
    EXPECT_LE(printable(std::string(length, '\n')).size(), 60U);
    EXPECT_LE(printable(std::string(length, 'a') + std::string(9, '\n')).size(), 60U);
  }
}

}  // namespace
}  // namespace railyard

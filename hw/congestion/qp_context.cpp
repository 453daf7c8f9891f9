#include "hw/congestion/qp_context.h"

#include <type_traits>

#include "rtl/model/dcqcn_np.h"
#include "rtl/model/pacer.h"

namespace railyard {

namespace {

constexpr unsigned kWordBits = 64;

/// Visits every field with its member.
template <class Context, class Visit>
void visit_fields(Context& c, Visit&& visit) {
  rtl::DcqcnContext::fields(c.reaction, visit);
  visit("pacer_valid", c.pacer_valid, 1);
  visit("pacer_next", c.pacer_next, rtl::Pacer::kStampBits + rtl::Pacer::kFracBits);
  visit("np_valid", c.np_valid, 1);
  visit("np_stamp", c.np_stamp, rtl::DcqcnNp::kStampBits);
}

/// Where the fields lie, one behind the other.
class Place {
 public:
  void next(unsigned bits) {
    if (low_ + bits_ + bits > kWordBits) {
      ++word_;
      low_ = 0;
    } else {
      low_ += bits_;
    }
    bits_ = bits;
  }
  unsigned word() const { return word_; }
  unsigned low() const { return low_; }

 private:
  unsigned word_ = 0;
  unsigned low_ = 0;
  unsigned bits_ = 0;
};

constexpr std::uint64_t mask(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

}  // namespace

std::vector<QpContextField> qp_context_layout() {
  std::vector<QpContextField> fields;
  Place place;
  const QpCongestionContext context;
  visit_fields(context, [&](const char* name, const auto& /*member*/, unsigned bits) {
    place.next(bits);
    fields.push_back({name, place.word(), place.low(), bits});
  });
  return fields;
}

QpContextLine pack(const QpCongestionContext& context) {
  QpContextLine line{};
  Place place;
  visit_fields(context, [&](const char* /*name*/, const auto& member, unsigned bits) {
    place.next(bits);
    line[place.word()] |= (static_cast<std::uint64_t>(member) & mask(bits)) << place.low();
  });
  return line;
}

QpCongestionContext unpack(const QpContextLine& line) {
  QpCongestionContext context;
  Place place;
  visit_fields(context, [&](const char* /*name*/, auto& member, unsigned bits) {
    place.next(bits);
    using Value = std::remove_reference_t<decltype(member)>;
    member = static_cast<Value>(line[place.word()] >> place.low() & mask(bits));
  });
  return context;
}

}  // namespace railyard

// A side of Transfers: its objects and its memory, in its program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sw/verbs/transfers.h"

namespace railyard::verbs::test {

class TransferEnd {
 public:
  TransferEnd(Transfers& of, unsigned side, Core& core);
  ~TransferEnd();
  TransferEnd(const TransferEnd&) = delete;
  TransferEnd& operator=(const TransferEnd&) = delete;

  void run();

 private:
  struct Piece {
    std::uint64_t at = 0;  // in the memory
    std::uint32_t bytes = 0;
  };

  void place();
  void open();
  void connect();
  void close();
  void modify(ibv_qp_attr& set, int mask);
  /// Both sides come here before either goes on.
  void meet();

  bool posts() const { return mine_.number == 0; }
  bool is_source(std::size_t n) const { return posts() != of_.transfers_[n].is_read(); }
  std::uint64_t area(std::size_t n) const { return areas_[n % areas_.size()]; }
  std::uint64_t area_end(std::size_t n) const;
  static std::vector<Piece> cut(std::uint64_t at, std::uint32_t bytes, unsigned pieces);
  std::vector<Piece> pieces(std::size_t n, bool poster) const;
  std::vector<ibv_sge> list_of(const std::vector<Piece>& pieces) const;

  void run_list(std::size_t first, std::size_t end);
  void fill(std::size_t n);
  void lay(std::size_t n, std::uint8_t* memory) const;
  void post(std::size_t first, std::size_t end);
  void describe(std::size_t n, std::vector<ibv_sge>& list, ibv_send_wr& wr);
  void post_receive(std::size_t n);
  bool take(ibv_cq* cq, ibv_wc& completion);

  void check_sent(std::size_t n);
  void check_inline_source(std::size_t n);
  void check_received(std::size_t n);
  void check_any(std::size_t n, const ibv_wc& wc);
  void check_memory(std::size_t n);
  void check_field(std::size_t n, const char* field, std::uint64_t is, std::uint64_t wanted);
  void check(bool good, const std::string& what);
  void fail(std::size_t n, const std::string& what);

  Transfers& of_;
  Transfers::Side& mine_;
  Transfers::Side& other_;
  Core& core_;
  std::uint64_t bytes_ = 0;           // of the memory
  std::vector<std::uint64_t> areas_;  // of a list's transfers, in the memory
  std::uint8_t* memory_ = nullptr;
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  ibv_mr* mr_ = nullptr;
  ibv_cq* send_cq_ = nullptr;
  ibv_cq* receive_cq_ = nullptr;
  ibv_qp* qp_ = nullptr;
};

}  // namespace railyard::verbs::test

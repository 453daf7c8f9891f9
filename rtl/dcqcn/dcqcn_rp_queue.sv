// Which event enters: bytes, or a CNP from a queue of four.
//
// A CNP goes before bytes if bytes went before it in the cycle before. So bytes have every second
// cycle at least, and the CNP at place n of the queue enters within 2 n cycles.
module dcqcn_rp_queue #(
    parameter int unsigned QpW = 4
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic           tx_valid_i,
    output logic           tx_ready_o,
    input  logic           cnp_valid_i,
    input  logic [QpW-1:0] cnp_qp_i,
    output logic           cnp_ready_o,

    output logic           take_tx_o,   // bytes enter
    output logic           take_cnp_o,  // a CNP of QP cnp_qp_o enters
    output logic [QpW-1:0] cnp_qp_o,
    output logic           busy_o
);
  logic [4*QpW-1:0] cnps_d, cnps_q;  // the oldest lowest
  logic [      2:0] waiting_d, waiting_q;
  logic             passed_d, passed_q;  // bytes went before a CNP that waits
  logic             push;

  assign cnp_ready_o = waiting_q != 3'd4;
  assign tx_ready_o  = !passed_q;
  assign take_tx_o   = tx_valid_i && tx_ready_o;
  assign take_cnp_o  = waiting_q != '0 && !take_tx_o;
  assign cnp_qp_o    = cnps_q[QpW-1:0];
  assign busy_o      = waiting_q != '0;
  assign push        = cnp_valid_i && cnp_ready_o;
  assign passed_d    = waiting_q != '0 && take_tx_o;

  always_comb begin
    cnps_d    = cnps_q;
    waiting_d = waiting_q;
    if (take_cnp_o) begin
      cnps_d    = cnps_q >> QpW;
      waiting_d = waiting_q - 3'd1;
    end
    if (push) begin
      for (int unsigned i = 0; i < 4; i++) begin
        if (waiting_d == 3'(i)) cnps_d[i*QpW +: QpW] = cnp_qp_i;
      end
      waiting_d = waiting_d + 3'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cnps_q    <= '0;
      waiting_q <= '0;
      passed_q  <= 1'b0;
    end else begin
      cnps_q    <= cnps_d;
      waiting_q <= waiting_d;
      passed_q  <= passed_d;
    end
  end

  `RY_ASSERT(AQueueOfFourAtMost, 1'b1, waiting_q <= 3'd4)
  `RY_ASSERT(BytesPassOnlyAWaitingCnp, passed_q, waiting_q != '0)
  `RY_ASSERT(ACnpEntersInEverySecondCycle, passed_q, take_cnp_o)
  `RY_ASSERT(OneEventACycle, take_tx_o, !take_cnp_o)

`ifdef RY_PROPS
`ifndef RY_CUT
`include "rtl/dcqcn/dcqcn_rp_queue_props.svh"
`endif
`endif
endmodule

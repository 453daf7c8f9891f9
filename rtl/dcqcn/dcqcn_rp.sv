`include "rtl/common/assert.svh"
`include "rtl/dcqcn/dcqcn_rp_queue.sv"
`include "rtl/dcqcn/dcqcn_rp_pace.sv"
`ifdef RY_PROPS
`include "rtl/dcqcn/dcqcn_rp_lemmas.svh"
`endif

// Reaction points of DCQCN (SIGCOMM 2015, and the variants that adapters have): rates of NumQps QPs.
//
// An event is the opening of a QP, bytes that were sent, or a CNP. One enters a cycle; its answer,
// the QP's rate and pacing interval after it, comes Latency cycles later. There are no timers: an
// event first does all that fell due since the QP's latest event.
//
// A CNP waits in a queue of four. It goes before bytes in every second cycle at least, so it enters
// at latest in the seventh cycle after it was taken; cnp_ready_o is low while the queue is full.
//
// Contexts lie in memories of one read and one write port. Each of the three loops through a context
// (times and stages; alpha; rates) closes in one stage, so the latest write is forwarded to the next
// event of the same QP, and any sequence of events runs at one a cycle:
//
//   0 arbitrate | 1 times and stages | 2 decay table, increases | 3, 4 factors of alpha |
//   5 alpha | 6 factor of the cut | 7 rates | 8 .. 11 pacing interval
//
// The memories are not reset: a QP is opened before it is used. Registers of a class are written
// while the block is quiet.
module dcqcn_rp #(
    parameter int unsigned NumQps = 16,
    parameter int unsigned TimeW  = railyard_pkg::TimeWidth,
    localparam int unsigned QpW     = $clog2(NumQps),
    localparam int unsigned BytesW  = 24,
    localparam int unsigned RateW   = 32,
    localparam int unsigned TargetW = 34,
    localparam int unsigned AlphaF  = 24,
    localparam int unsigned StageW  = 10,
    localparam int unsigned CountW  = 16,
    localparam int unsigned PowW    = 14,  // alpha is zero after 2^PowW periods
    localparam int unsigned PeriodW = 32,
    localparam int unsigned FactorF = 25   // of the share that a cut takes
) (
    input logic clk_i,
    input logic rst_ni,

    input logic [TimeW-1:0] now_i,  // cycles

    // Registers of a class; the list is in the README. Addresses from 256 on are the decay table.
    input logic        cfg_valid_i,
    input logic [ 2:0] cfg_class_i,
    input logic [ 8:0] cfg_addr_i,
    input logic [31:0] cfg_data_i,
    input logic [23:0] pace_factor_i,  // cycles a byte at 1 Mb/s, UQ16.8

    input  logic              tx_valid_i,
    input  logic              tx_open_i,  // a new QP of class tx_class_i; no bytes
    input  logic [       2:0] tx_class_i,
    input  logic [   QpW-1:0] tx_qp_i,
    input  logic [BytesW-1:0] tx_bytes_i,
    output logic              tx_ready_o,

    input  logic           cnp_valid_i,
    input  logic [QpW-1:0] cnp_qp_i,
    output logic           cnp_ready_o,

    output logic               out_valid_o,
    output logic [    QpW-1:0] out_qp_o,
    output logic [  RateW-1:0] out_rate_o,      // R_C, UQ20.12 Mb/s
    output logic [TargetW-1:0] out_target_o,    // R_T, UQ22.12 Mb/s
    output logic [   AlphaF:0] out_alpha_o,     // UQ1.24
    output logic [       39:0] out_interval_o,  // cycles a byte, UQ16.24

    output logic             quiet_o,       // no register would change at the next edge
    output logic             wake_valid_o,  // if quiet: without new inputs, none changes before it
    output logic [TimeW-1:0] wake_o
);
  localparam int unsigned Latency = 12;
  localparam logic [AlphaF:0] One = {1'b1, {AlphaF{1'b0}}};

`include "rtl/dcqcn/dcqcn_rp_alpha.svh"
`include "rtl/dcqcn/dcqcn_rp_periods.svh"
`include "rtl/dcqcn/dcqcn_rp_increase.svh"
`include "rtl/dcqcn/dcqcn_rp_rate.svh"

  // ---- Registers of the classes
  logic [31:0] alpha_period_mem[8], alpha_recip_mem[8], rate_period_mem[8], rate_recip_mem[8];
  logic [31:0] monitor_period_mem[8], monitor_recip_mem[8], byte_reset_mem[8];
  logic [31:0] max_rate_mem[8], min_rate_mem[8], first_rate_mem[8];
  logic [13:0] rules_mem[8];  // {gd, threshold, fewer halvings, clamp ati, clamp, alpha first, hw}
  logic [15:0] ai_mem[8], hai_mem[8];
  logic [25:0] most_cut_mem[8];
  logic [AlphaF:0] gain_mem[8], gain_ratio_mem[8], initial_alpha_mem[8];
  logic [AlphaF:0] decay_mem[2048];  // {class, high digit, digit}: (1-g)^digit, (1-g)^(128 digit)

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i && cfg_addr_i[8]) begin
      decay_mem[{cfg_class_i, cfg_addr_i[7:0]}] <= cfg_data_i[AlphaF:0];
    end
    if (cfg_valid_i && !cfg_addr_i[8]) begin
      case (cfg_addr_i[7:0])
        8'd0:    alpha_period_mem[cfg_class_i]   <= cfg_data_i;
        8'd1:    alpha_recip_mem[cfg_class_i]    <= cfg_data_i;
        8'd2:    rate_period_mem[cfg_class_i]    <= cfg_data_i;
        8'd3:    rate_recip_mem[cfg_class_i]     <= cfg_data_i;
        8'd4:    monitor_period_mem[cfg_class_i] <= cfg_data_i;
        8'd5:    monitor_recip_mem[cfg_class_i]  <= cfg_data_i;
        8'd6:    byte_reset_mem[cfg_class_i]     <= cfg_data_i;
        8'd7:    rules_mem[cfg_class_i]          <= cfg_data_i[13:0];
        8'd8:    ai_mem[cfg_class_i]             <= cfg_data_i[15:0];
        8'd9:    hai_mem[cfg_class_i]            <= cfg_data_i[15:0];
        8'd10:   max_rate_mem[cfg_class_i]       <= cfg_data_i;
        8'd11:   min_rate_mem[cfg_class_i]       <= cfg_data_i;
        8'd12:   first_rate_mem[cfg_class_i]     <= cfg_data_i;
        8'd13:   most_cut_mem[cfg_class_i]       <= cfg_data_i[25:0];
        8'd14:   gain_mem[cfg_class_i]           <= cfg_data_i[AlphaF:0];
        8'd15:   gain_ratio_mem[cfg_class_i]     <= cfg_data_i[AlphaF:0];
        8'd16:   initial_alpha_mem[cfg_class_i]  <= cfg_data_i[AlphaF:0];
        default: ;
      endcase
    end
  end

  // ---- Stage 0: which event enters
  logic           take_tx, take_cnp, queue_busy;
  logic [QpW-1:0] take_cnp_qp, qp0;
  dcqcn_rp_queue #(.QpW(QpW)) u_queue (
      .clk_i(clk_i), .rst_ni(rst_ni), .tx_valid_i(tx_valid_i), .tx_ready_o(tx_ready_o),
      .cnp_valid_i(cnp_valid_i), .cnp_qp_i(cnp_qp_i), .cnp_ready_o(cnp_ready_o),
      .take_tx_o(take_tx), .take_cnp_o(take_cnp), .cnp_qp_o(take_cnp_qp), .busy_o(queue_busy));
  assign qp0 = take_tx ? tx_qp_i : take_cnp_qp;

  // ---- The events in the stages: one QP and class each
  logic [Latency-1:0] valid_d, valid_q;  // stage 1 lowest
  logic [  QpW-1:0] qp1_q, qp2_q, qp3_q, qp4_q, qp5_q, qp6_q, qp7_q, qp8_q, qp9_q, qp10_q, qp11_q;
  logic [  QpW-1:0] qp12_q;
  logic [      2:0] class2_q, class3_q, class4_q, class5_q, class6_q, class7_q;
  assign valid_d = {valid_q[Latency-2:0], take_tx || take_cnp};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= valid_d;
    end
  end
`include "rtl/dcqcn/dcqcn_rp_times.svh"
`include "rtl/dcqcn/dcqcn_rp_stages.svh"

  // ---- Quiet
  // A queue that is not empty has its CNPs in a stage within seven cycles: the clock runs till then.
  logic busy;
  assign busy         = valid_q != '0 || queue_busy;
  assign quiet_o      = !busy && !tx_valid_i && !cnp_valid_i && !cfg_valid_i;
  assign wake_valid_o = busy;
  assign wake_o       = now_i;

`ifndef RY_CUT  // a proof in which products and shifts may be anything
  `RY_ASSERT(TargetIsNotBelowTheRate, valid_q[7], target8_q >= TargetW'(rate8_q))
`endif
  `RY_ASSERT(AlphaIsAtMostOne, valid_q[5], One >= alpha6_q)

`ifdef RY_PROPS
`include "rtl/dcqcn/dcqcn_rp_props.svh"
`endif
endmodule

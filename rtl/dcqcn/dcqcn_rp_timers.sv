// The part of an event that time decides: which periods have ended since the QP's latest event, in
// which phase of the increase they fall, and whether there is a cut. Combinational: its loop through
// the context closes in one cycle.
//
// Phases of `n` events of the timer, while the byte counter's stage stands: fast recovery, additive
// increase, hyper increase with a step that grows (until the byte counter's stage is the smaller
// one), hyper increase with a step that stays.
module dcqcn_rp_timers #(
    parameter int unsigned TimeW  = railyard_pkg::TimeWidth,
    parameter int unsigned StageW = 10,
    parameter int unsigned CountW = 16,  // of events of the timer since the latest event
    parameter int unsigned BytesW = 24,
    parameter int unsigned PowW   = 14   // alpha is zero after 2^PowW periods
) (
    input logic [ TimeW-1:0] now_i,
    input logic              open_i,
    input logic              cnp_i,    // otherwise bytes were sent
    input logic [BytesW-1:0] bytes_i,

    // Of the QP's class.
    input logic [31:0] alpha_period_i,
    input logic [31:0] alpha_recip_i,
    input logic [31:0] rate_period_i,
    input logic [31:0] rate_recip_i,
    input logic [31:0] monitor_period_i,
    input logic [31:0] monitor_recip_i,
    input logic [31:0] byte_reset_i,
    input logic [ 4:0] threshold_i,
    input logic        hardware_i,
    input logic        clamp_i,
    input logic        clamp_ati_i,
    input logic        fewer_halvings_i,

    // The context: {seen, alpha flag, cut flag, raised by bytes, raised by time}, stages, times.
    input  logic [       4:0] flags_i,
    input  logic [StageW-1:0] time_stage_i,
    input  logic [StageW-1:0] byte_stage_i,
    input  logic [      31:0] bytes_sent_i,
    input  logic [ TimeW-1:0] alpha_at_i,
    input  logic [ TimeW-1:0] rate_at_i,
    input  logic [ TimeW-1:0] monitor_at_i,
    output logic [       4:0] flags_o,
    output logic [StageW-1:0] time_stage_o,
    output logic [StageW-1:0] byte_stage_o,
    output logic [      31:0] bytes_sent_o,
    output logic [ TimeW-1:0] alpha_at_o,
    output logic [ TimeW-1:0] rate_at_o,
    output logic [ TimeW-1:0] monitor_at_o,

    // What alpha and the rates have to do.
    output logic [    PowW:0] decay_cut_o,    // periods of alpha until the cut
    output logic [    PowW:0] decay_o,        // and until now
    output logic              flagged_o,      // a CNP's flag stood at the first of them
    output logic              update_o,       // a CNP updates alpha now
    output logic              cut_o,
    output logic              first_o,        // by the first CNP
    output logic              clamp_o,        // the cut sets R_T = R_C
    output logic [CountW-1:0] recover_o,      // before the cut, fast recovery
    output logic [CountW-1:0] add_o,          // additive
    output logic [StageW-1:0] grow_o,         // hyper, with steps from_o + 1, from_o + 2, ...
    output logic [StageW-1:0] from_o,
    output logic [CountW-1:0] hyper_o,        // hyper, with the step steady_o
    output logic [StageW-1:0] steady_o,
    output logic [CountW-1:0] late_recover_o, // after the cut
    output logic [CountW-1:0] late_add_o,
    output logic              byte_event_o,   // last, the byte counter's event
    output logic              byte_add_o,     // it is not fast recovery
    output logic [StageW-1:0] byte_hyper_o    // its step, if hyper
);
  localparam logic [StageW-1:0] LastStage = '1;

  function automatic logic [CountW-1:0] count_of(input logic [31:0] n);
    count_of = n[31:CountW] != '0 ? '1 : n[CountW-1:0];
  endfunction
  function automatic logic [PowW:0] decay_of(input logic [31:0] n);
    decay_of = n[31:PowW] != '0 ? {1'b1, {PowW{1'b0}}} : {1'b0, n[PowW-1:0]};
  endfunction
  // a - b, or zero.
  function automatic logic [CountW-1:0] above(input logic [CountW-1:0] a,
                                              input logic [CountW-1:0] b);
    above = a > b ? a - b : '0;
  endfunction
  function automatic logic [CountW-1:0] least(input logic [CountW-1:0] a,
                                              input logic [CountW-1:0] b);
    least = a < b ? a : b;
  endfunction
  function automatic logic [StageW-1:0] stage_of(input logic [StageW-1:0] stage,
                                                 input logic [CountW-1:0] n);
    logic [CountW:0] sum;
    sum = (CountW + 1)'(stage) + (CountW + 1)'(n);
    stage_of = sum > (CountW + 1)'(LastStage) ? LastStage : sum[StageW-1:0];
  endfunction

  logic seen, alpha_flag, cut_flag, by_bytes, by_time;
  assign {seen, alpha_flag, cut_flag, by_bytes, by_time} = flags_i;

  // Periods. The cut by a flag is at the first end of a monitor period after the flag was set.
  logic [31:0] monitors, monitor_rest, early, early_rest, after, after_rest;
  logic [31:0] decays_cut, unused_rest, decays, alpha_rest;
  logic [TimeW-1:0] cut_at, until_cut;
  logic             late_cut;
  assign late_cut  = hardware_i && seen && cut_flag && monitors != '0;
  assign cut_at    = monitor_at_i + TimeW'(monitor_period_i);
  assign until_cut = late_cut ? cut_at : now_i;

  dcqcn_rp_periods #(.TimeW(TimeW)) u_monitor (
      .elapsed_i(now_i - monitor_at_i), .period_i(monitor_period_i), .recip_i(monitor_recip_i),
      .count_o(monitors), .rest_o(monitor_rest));
  dcqcn_rp_periods #(.TimeW(TimeW)) u_early (
      .elapsed_i(until_cut - rate_at_i), .period_i(rate_period_i), .recip_i(rate_recip_i),
      .count_o(early), .rest_o(early_rest));
  dcqcn_rp_periods #(.TimeW(TimeW)) u_after (
      .elapsed_i(now_i - cut_at), .period_i(rate_period_i), .recip_i(rate_recip_i),
      .count_o(after), .rest_o(after_rest));
  dcqcn_rp_periods #(.TimeW(TimeW)) u_decay_cut (
      .elapsed_i(until_cut - alpha_at_i), .period_i(alpha_period_i), .recip_i(alpha_recip_i),
      .count_o(decays_cut), .rest_o(unused_rest));
  dcqcn_rp_periods #(.TimeW(TimeW)) u_decay (
      .elapsed_i(now_i - alpha_at_i), .period_i(alpha_period_i), .recip_i(alpha_recip_i),
      .count_o(decays), .rest_o(alpha_rest));

  // Phases before the cut.
  logic [CountW-1:0] n, threshold, halvings, time_stage, byte_stage, slow, hyper, at_hyper;
  assign n          = seen ? count_of(early) : '0;
  assign threshold  = CountW'(threshold_i);
  assign halvings   = threshold - CountW'(fewer_halvings_i);
  assign time_stage = CountW'(time_stage_i);
  assign byte_stage = CountW'(byte_stage_i);
  assign slow       = byte_stage > threshold ? least(n, above(threshold, time_stage)) : n;
  assign hyper      = n - slow;
  assign at_hyper   = time_stage > threshold ? time_stage : threshold;
  assign recover_o  = byte_stage > halvings ? '0 : least(n, above(halvings, time_stage));
  assign add_o      = slow - recover_o;
  assign grow_o     = StageW'(least(hyper, above(byte_stage, at_hyper)));
  assign from_o     = StageW'(at_hyper - threshold);
  assign hyper_o    = hyper - CountW'(grow_o);
  assign steady_o   = StageW'(above(byte_stage, threshold));

  // After it: the stages are zero, so there is no hyper increase.
  logic [CountW-1:0] late;
  assign late           = late_cut ? count_of(after) : '0;
  assign late_recover_o = least(late, halvings);
  assign late_add_o     = late - late_recover_o;

  // The event itself.
  logic [StageW-1:0] time_stage_now, byte_stage_now, next_byte_stage;
  logic [      31:0] bytes_now;
  logic [      32:0] bytes_sum;
  logic              by_time_now, by_bytes_now, now_cut;
  assign time_stage_now  = late_cut ? stage_of('0, late) : stage_of(time_stage_i, n);
  assign byte_stage_now  = late_cut ? '0 : byte_stage_i;
  assign bytes_now       = late_cut ? '0 : bytes_sent_i;
  assign by_time_now     = late_cut ? late != '0 : (by_time || n != '0);
  assign by_bytes_now    = !late_cut && by_bytes;
  assign now_cut         = cnp_i && (!hardware_i || !seen);
  assign bytes_sum       = 33'(bytes_now) + 33'(bytes_i);
  assign next_byte_stage = stage_of(byte_stage_now, CountW'(1));

  assign byte_event_o = seen && !cnp_i && !open_i && bytes_sum >= 33'(byte_reset_i);
  assign byte_add_o   = CountW'(next_byte_stage) > halvings ||
                        CountW'(time_stage_now) > halvings;
  assign byte_hyper_o = StageW'(least(above(CountW'(next_byte_stage), threshold),
                                      above(CountW'(time_stage_now), threshold)));

  assign decay_cut_o = seen ? decay_of(decays_cut) : '0;
  assign decay_o     = seen ? decay_of(decays) : '0;
  assign flagged_o   = hardware_i && alpha_flag;
  assign update_o    = cnp_i && !hardware_i;
  assign cut_o       = late_cut || now_cut;
  assign first_o     = cnp_i && !seen;
  assign clamp_o     = clamp_i || by_bytes || (clamp_ati_i && (by_time || n != '0));

  always_comb begin
    flags_o = {seen, alpha_flag && decays == '0, cut_flag && !late_cut, by_bytes_now, by_time_now};
    time_stage_o = time_stage_now;
    byte_stage_o = byte_stage_now;
    bytes_sent_o = bytes_now;
    alpha_at_o   = now_i - TimeW'(alpha_rest);
    rate_at_o    = now_i - (late_cut ? TimeW'(after_rest) : TimeW'(early_rest));
    monitor_at_o = now_i - TimeW'(monitor_rest);
    if (open_i || !seen || now_cut) begin
      flags_o      = {cnp_i && !open_i, 4'b0000};
      time_stage_o = '0;
      byte_stage_o = '0;
      bytes_sent_o = '0;
      alpha_at_o   = now_i;
      rate_at_o    = now_i;
      monitor_at_o = now_i;
    end else if (cnp_i) begin
      flags_o[3:2] = 2'b11;
    end else begin
      bytes_sent_o = bytes_sum[31:0];
      if (byte_event_o) begin
        byte_stage_o = next_byte_stage;
        bytes_sent_o = bytes_sum[31:0] - byte_reset_i;
        flags_o[1]   = 1'b1;
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_rest};
endmodule

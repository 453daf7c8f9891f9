// Any number of increases as one map: R_T += sum, and R_T - R_C = (R_T - R_C) / 2^halvings + lag.
// The step c of one increase adds c to the sum; the lag becomes (lag + c) / 2. So m equal steps
// leave a lag of c * (1 - 2^-m), and steps c * (from + 1), c * (from + 2), ... leave
// c * (from + m - 1) - c * (from - 1) * 2^-m. Fractions are cut off: each of the terms is less than
// 2^-12 Mb/s too small.
module dcqcn_rp_increase #(
    parameter int unsigned StageW = 10,
    parameter int unsigned CountW = 16,
    parameter int unsigned RateF  = 12,
    parameter int unsigned SumW   = 34
) (
    input  logic [      15:0] ai_i,   // Mb/s
    input  logic [      15:0] hai_i,  // Mb/s
    input  logic [CountW-1:0] recover_i,
    input  logic [CountW-1:0] add_i,
    input  logic [StageW-1:0] grow_i,
    input  logic [StageW-1:0] from_i,
    input  logic [CountW-1:0] hyper_i,
    input  logic [StageW-1:0] steady_i,
    input  logic              byte_event_i,  // one more, at the end
    input  logic              byte_add_i,
    input  logic [StageW-1:0] byte_hyper_i,
    output logic [  SumW-1:0] sum_o,         // UQ22.12 Mb/s
    output logic [  SumW-1:0] lag_o,         // at most the sum
    output logic [       5:0] halvings_o
);
  localparam int unsigned W = 48;  // of sums, Mb/s
  localparam int unsigned StepW = 16 + StageW + 1 + RateF;

  function automatic logic [5:0] shift_of(input logic [CountW+1:0] n);
    shift_of = n > (CountW + 2)'(63) ? 6'd63 : n[5:0];
  endfunction

  logic [StepW-1:0] ai, steady, grown, grown_from, byte_step, lag, lag_add, lag_grow, lag_hyper;
  logic [      5:0] halvings_add, halvings_grow, halvings_hyper;
  logic [    W-1:0] steps, sum;
  logic [W+RateF-1:0] scaled;

  assign halvings_add   = shift_of((CountW + 2)'(add_i));
  assign halvings_grow  = shift_of((CountW + 2)'(grow_i));
  assign halvings_hyper = shift_of((CountW + 2)'(hyper_i));

  assign ai         = StepW'(ai_i) << RateF;
  assign steady     = (StepW'(hai_i) * StepW'(steady_i)) << RateF;
  assign grown      = (StepW'(hai_i) * (StepW'(from_i) + StepW'(grow_i) - StepW'(1))) << RateF;
  assign grown_from = (StepW'(hai_i) * (StepW'(from_i) - StepW'(1))) << RateF;
  assign byte_step  = !byte_add_i ? '0 :
                      byte_hyper_i == '0 ? ai : (StepW'(hai_i) * StepW'(byte_hyper_i)) << RateF;

  assign lag_add = ai - (ai >> halvings_add);
  always_comb begin
    lag_grow = lag_add;
    if (grow_i != '0) begin
      lag_grow = (lag_add >> halvings_grow) + grown;
      // A first step of 1: from - 1 is below zero.
      if (from_i == '0) lag_grow = lag_grow + ((StepW'(hai_i) << RateF) >> halvings_grow);
      else lag_grow = lag_grow - (grown_from >> halvings_grow);
    end
  end
  assign lag_hyper = (lag_grow >> halvings_hyper) + steady - (steady >> halvings_hyper);
  assign lag       = byte_event_i ? (lag_hyper >> 1) + (byte_step >> 1) : lag_hyper;

  // Of hyper increase, the sum of all multiples.
  assign steps = W'(grow_i) * W'(from_i) + ((W'(grow_i) * (W'(grow_i) + W'(1))) >> 1) +
                 W'(steady_i) * W'(hyper_i);
  assign sum   = W'(ai_i) * W'(add_i) + W'(hai_i) * steps;
  assign scaled = ((W + RateF)'(sum) << RateF) +
                  (byte_event_i ? (W + RateF)'(byte_step) : '0);

  assign sum_o = scaled[W+RateF-1:SumW] != '0 ? '1 : scaled[SumW-1:0];
  assign lag_o = (W + RateF)'(lag) > (W + RateF)'(sum_o) ? sum_o : SumW'(lag);
  assign halvings_o = shift_of((CountW + 2)'(recover_i) + (CountW + 2)'(add_i) +
                               (CountW + 2)'(grow_i) + (CountW + 2)'(hyper_i) +
                               (CountW + 2)'(byte_event_i));
endmodule

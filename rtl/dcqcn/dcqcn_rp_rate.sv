// The two rates of an event: increases, a cut, increases. Combinational: its loop through the
// context closes in one cycle.
//
// R_T is stored with two bits more than R_C, since only R_C ends at the line.
module dcqcn_rp_rate #(
    parameter int unsigned RateW   = 32,  // UQ20.12 Mb/s
    parameter int unsigned TargetW = 34,
    parameter int unsigned FactorF = 25
) (
    input logic             open_i,
    input logic [RateW-1:0] max_rate_i,
    input logic [RateW-1:0] min_rate_i,
    input logic [RateW-1:0] first_rate_i,  // zero: the first CNP cuts as any

    input logic [TargetW-1:0] sum_i,       // before the cut
    input logic [TargetW-1:0] lag_i,
    input logic [        5:0] halvings_i,
    input logic               cut_i,
    input logic               first_i,
    input logic               clamp_i,
    input logic [  FactorF:0] factor_i,    // of R_C, that the cut takes
    input logic [TargetW-1:0] late_sum_i,  // after it
    input logic [TargetW-1:0] late_lag_i,
    input logic [        5:0] late_halvings_i,

    input  logic [TargetW-1:0] target_i,
    input  logic [  RateW-1:0] rate_i,
    output logic [TargetW-1:0] target_o,
    output logic [  RateW-1:0] rate_o
);
  localparam int unsigned ProductW = RateW + FactorF + 1;

  function automatic logic [RateW-1:0] at_most(input logic [TargetW:0] rate,
                                               input logic [RateW-1:0] limit);
    at_most = rate > (TargetW + 1)'(limit) ? limit : rate[RateW-1:0];
  endfunction
  function automatic logic [TargetW-1:0] not_below(input logic [TargetW-1:0] target,
                                                   input logic [RateW-1:0] rate);
    not_below = target < TargetW'(rate) ? TargetW'(rate) : target;
  endfunction
  function automatic logic [RateW-1:0] at_least(input logic [RateW-1:0] rate,
                                                input logic [RateW-1:0] limit);
    at_least = rate < limit ? limit : rate;
  endfunction
  function automatic logic [TargetW-1:0] saturated(input logic [TargetW:0] target);
    saturated = target[TargetW] ? '1 : target[TargetW-1:0];
  endfunction

  // As stored; the limits may have been changed since.
  logic [TargetW-1:0] target0;
  logic [  RateW-1:0] rate0;
  assign rate0   = at_least(rate_i < max_rate_i ? rate_i : max_rate_i, min_rate_i);
  assign target0 = not_below(target_i, rate0);

  logic [  TargetW:0] raised1;
  logic [TargetW-1:0] target1;
  logic [  RateW-1:0] rate1;
  assign raised1 = (TargetW + 1)'(target0) + (TargetW + 1)'(sum_i);
  assign target1 = saturated(raised1);
  assign rate1   = at_most(raised1 - (TargetW + 1)'((target0 - TargetW'(rate0)) >> halvings_i) -
                           (TargetW + 1)'(lag_i), max_rate_i);

  logic [ProductW-1:0] product;
  logic [TargetW-1:0]  target2;
  logic [  RateW-1:0]  rate2, cut, limited;
  assign limited = at_most((TargetW + 1)'(target1), max_rate_i);
  assign product = ProductW'(rate1) * ProductW'(factor_i) + (ProductW'(1) << (FactorF - 1));
  always_comb begin
    cut = rate1 - RateW'(product >> FactorF);
    if (first_i && first_rate_i != '0) cut = first_rate_i < rate1 ? first_rate_i : rate1;
    target2 = target1;
    rate2   = rate1;
    if (cut_i) begin
      rate2   = at_least(cut, min_rate_i);
      target2 = not_below(clamp_i ? TargetW'(rate1) : TargetW'(limited), rate2);
    end
  end

  logic [TargetW:0] raised3;
  assign raised3 = (TargetW + 1)'(target2) + (TargetW + 1)'(late_sum_i);
  always_comb begin
    target_o = saturated(raised3);
    rate_o   = at_most(raised3 - (TargetW + 1)'((target2 - TargetW'(rate2)) >> late_halvings_i) -
                       (TargetW + 1)'(late_lag_i), max_rate_i);
    if (open_i) begin
      target_o = TargetW'(max_rate_i);
      rate_o   = max_rate_i;
    end
  end
endmodule

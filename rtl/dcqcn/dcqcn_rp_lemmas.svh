// Lemmas about the combinational parts of dcqcn_rp, at small widths: each has a top of its own, whose
// inputs are free.

// floor(elapsed / period), exactly, from a product.
module dcqcn_rp_periods_lemma #(
    parameter int unsigned W = 4
) (
    input logic         rst_ni,
    input logic [W:0]   elapsed_i,
    input logic [W-1:0] period_i,
    input logic [W-1:0] recip_i
);
  localparam int unsigned TimeW   = W + 2;
  localparam int unsigned PeriodW = W;
`include "rtl/dcqcn/dcqcn_rp_periods.svh"
  logic [  W-1:0] count, rest;
  logic [2*W-1:0] whole;
  assign whole = (2*W)'(recip_i) * (2*W)'(period_i);
  `RY_ASSUME(APeriodIsTwoOrMore, period_i >= W'(2))
  `RY_ASSUME(RecipIsTheReciprocal, whole <= (2*W)'(1 << W) &&
             whole + (2*W)'(period_i) > (2*W)'(1 << W))
  // The guess is what the correction corrects.
  logic [2*W-1:0] guess;
  assign guess         = (2*W)'(elapsed_i[W-1:0]) * (2*W)'(recip_i);
  assign {count, rest} = periods_of({1'b0, elapsed_i}, period_i, recip_i);
  `RY_ASSERT(TheRestIsLessThanAPeriod, 1'b1, rest < period_i)
  `RY_ASSERT(CountAndRestAreTheTime, !elapsed_i[W],
             (2*W)'(count) * (2*W)'(period_i) + (2*W)'(rest) == (2*W)'(elapsed_i))
  `RY_ASSERT(WhatIsTooLongIsTheLongest, elapsed_i[W], count == '1 && rest == '0)
  `RY_COVER(TheGuessIsOneTooSmall, !elapsed_i[W] && count > guess[2*W-1:W])
endmodule

// min <= R_C <= max and R_C <= R_T, whatever an event does.
module dcqcn_rp_rate_lemma #(
    parameter int unsigned RateW   = 5,
    parameter int unsigned TargetW = 7,
    parameter int unsigned FactorF = 4
) (
    input logic               rst_ni,
    input logic               open_i, cut_i, first_i, clamp_i,
    input logic [  RateW-1:0] max_rate_i, min_rate_i, first_rate_i, rate_i,
    input logic [TargetW-1:0] sum_i, lag_i, late_sum_i, late_lag_i, target_i,
    input logic [        5:0] halvings_i, late_halvings_i,
    input logic [  FactorF:0] factor_i
);
`include "rtl/dcqcn/dcqcn_rp_rate.svh"
  logic [TargetW-1:0] target;
  logic [  RateW-1:0] rate;
  `RY_ASSUME(MinIsAtMostMax, min_rate_i <= max_rate_i)
  `RY_ASSUME(TheLagIsAtMostTheSum, lag_i <= sum_i && late_lag_i <= late_sum_i)
  `RY_ASSUME(ACutTakesAllAtMost, factor_i <= (FactorF + 1)'(1 << FactorF))
  assign {target, rate} = rates_of(
      open_i, max_rate_i, min_rate_i, first_rate_i, sum_i, lag_i, halvings_i, cut_i, first_i,
      clamp_i, factor_i, late_sum_i, late_lag_i, late_halvings_i, target_i, rate_i);
  `RY_ASSERT(TheRateIsWithinItsLimits, 1'b1, rate >= min_rate_i && rate <= max_rate_i)
  `RY_ASSERT(TheTargetIsNotBelowTheRate, 1'b1, target >= TargetW'(rate))
  `RY_ASSERT(ACutNeverRaises, cut_i && rate_i >= min_rate_i && rate_i <= max_rate_i &&
             !open_i && sum_i == '0 && halvings_i == '0 && late_sum_i == '0 &&
             late_halvings_i == '0, rate <= rate_i)
  `RY_ASSERT(WithoutACutTheRateNeverFalls, !cut_i && !open_i && rate_i <= max_rate_i,
             rate >= rate_i)
  `RY_COVER(ACutToTheFloor, cut_i && rate_i > min_rate_i && rate == min_rate_i)
endmodule

// 0 <= alpha <= 1 without the limit's help; periods without a CNP never raise it, a CNP never lowers it
// but by the rounding.
module dcqcn_rp_alpha_lemma #(
    parameter int unsigned AlphaF = 5
) (
    input logic            rst_ni,
    input logic            some_i, flagged_i, update_i,
    input logic [AlphaF:0] alpha_i, power_i, other_i, gain_i, ratio_i
);
  localparam logic [AlphaF:0] One = {1'b1, {AlphaF{1'b0}}};
`include "rtl/dcqcn/dcqcn_rp_alpha.svh"
  logic [AlphaF:0] scale, offset, alpha, product;
  logic [AlphaF+1:0] sum;
  `RY_ASSUME(ArgumentsAreAtMostOne, alpha_i <= One && power_i <= One && other_i <= One)
  `RY_ASSUME(TheGainIsAtMostAHalf, gain_i <= (One >> 1))
  // (1-g)^n is at most 1-g after a period, and ratio is g / (1-g), cut off.
  `RY_ASSUME(PowersFall, !some_i || power_i <= One - gain_i)
  `RY_ASSUME(TheRatioIsOfTheGain, (2*AlphaF+2)'(ratio_i) * (2*AlphaF+2)'(One - gain_i) <=
             ((2*AlphaF+2)'(gain_i) << AlphaF))
  assign {scale, offset} = alphas_map(power_i, some_i, flagged_i, update_i, gain_i, ratio_i);
  assign product         = times(power_i, other_i);
  assign sum             = (AlphaF + 2)'(times(alpha_i, scale)) + (AlphaF + 2)'(offset);
  assign alpha           = sum_of(times(alpha_i, scale), offset);
  `RY_ASSERT(AProductIsAtMostEachFactor, 1'b1, product <= power_i && product <= other_i)
  `RY_ASSERT(AlphaIsWithinZeroAndOne, 1'b1, alpha <= One)
  `RY_ASSERT(TheLimitIsNotNeeded, 1'b1, sum <= (AlphaF + 2)'(One))
  `RY_ASSERT(PeriodsAloneNeverRaiseAlpha, !update_i && !flagged_i, alpha <= alpha_i)
  `RY_ASSERT(ACnpNeverLowersAlpha, update_i && power_i == One, alpha + (AlphaF+1)'(1) > alpha_i)
  `RY_COVER(AlphaStaysOne, update_i && power_i == One && gain_i != '0 && alpha == One)
endmodule

// The two rates after an event: increases, a cut, increases. Includers have the widths RateW, TargetW
// and FactorF. R_T has two bits more than R_C, since only R_C ends at the line.
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

  function automatic logic [RateW-1:0] raised(  // R_C by one map of increases; total is the new R_T
      input logic [  TargetW:0] total,
      input logic [TargetW-1:0] target,
      input logic [  RateW-1:0] rate,
      input logic [TargetW-1:0] lag,
      input logic [        5:0] halvings,
      input logic [  RateW-1:0] limit);
    raised = at_most(total - (TargetW + 1)'((target - TargetW'(rate)) >> halvings) -
                     (TargetW + 1)'(lag), limit);
  endfunction

  function automatic logic [TargetW+RateW-1:0] rates_of(  // {R_T, R_C}
      input logic               open,
      input logic [  RateW-1:0] max_rate,
      input logic [  RateW-1:0] min_rate,
      input logic [  RateW-1:0] first_rate,  // zero: the first CNP cuts as any
      input logic [TargetW-1:0] sum,         // before the cut
      input logic [TargetW-1:0] lag,
      input logic [        5:0] halvings,
      input logic               cut,
      input logic               first,
      input logic               clamp,
      input logic [  FactorF:0] factor,      // of R_C, that the cut takes
      input logic [TargetW-1:0] late_sum,    // after it
      input logic [TargetW-1:0] late_lag,
      input logic [        5:0] late_halvings,
      input logic [TargetW-1:0] old_target,
      input logic [  RateW-1:0] old_rate);
    logic [RateW+FactorF:0] product;
    logic [      TargetW:0] total;
    logic [    TargetW-1:0] target, next_target;
    logic [      RateW-1:0] rate, next_rate;
    // As stored; the limits may have been changed since.
    rate   = at_least(old_rate < max_rate ? old_rate : max_rate, min_rate);
    target = not_below(old_target, rate);

    total       = (TargetW + 1)'(target) + (TargetW + 1)'(sum);
    next_rate   = raised(total, target, rate, lag, halvings, max_rate);
    next_target = saturated(total);

    rate    = next_rate;
    target  = next_target;
    product = (RateW + FactorF + 1)'(rate) * (RateW + FactorF + 1)'(factor) +
              ((RateW + FactorF + 1)'(1) << (FactorF - 1));
    next_rate   = first && first_rate != '0 ? (first_rate < rate ? first_rate : rate) :
                                              rate - RateW'(product >> FactorF);
    next_rate   = at_least(next_rate, min_rate);
    next_target = clamp ? TargetW'(rate) : TargetW'(at_most((TargetW + 1)'(target), max_rate));
    next_target = not_below(next_target, next_rate);
    rate        = cut ? next_rate : rate;
    target      = cut ? next_target : target;

    total       = (TargetW + 1)'(target) + (TargetW + 1)'(late_sum);
    next_rate   = raised(total, target, rate, late_lag, late_halvings, max_rate);
    next_target = saturated(total);
    rates_of    = open ? {TargetW'(max_rate), max_rate} : {next_target, next_rate};
  endfunction

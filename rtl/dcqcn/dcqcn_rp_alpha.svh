// Arithmetic of alpha, UQ1.AlphaF, and of what multiplies it. Includers have AlphaF and One. A map of
// alpha is a scale and an offset.
  function automatic logic [AlphaF:0] times(input logic [AlphaF:0] a, input logic [AlphaF:0] b);
    logic [2*AlphaF+1:0] product;
    product = (2*AlphaF+2)'(a) * (2*AlphaF+2)'(b) + (2*AlphaF+2)'(1 << (AlphaF - 1));
    times = (AlphaF+1)'(product >> AlphaF);
  endfunction
  function automatic logic [AlphaF:0] sum_of(input logic [AlphaF:0] a, input logic [AlphaF:0] b);
    logic [AlphaF+1:0] sum;
    sum = (AlphaF + 2)'(a) + (AlphaF + 2)'(b);
    sum_of = sum > (AlphaF + 2)'(One) ? One : sum[AlphaF:0];
  endfunction

  // Periods without a CNP: (1-g)^n is `power`, and `some` says that n is not zero. If a flag stood at
  // the first of them, g (1-g)^(n-1) is added; `ratio` is g / (1-g). Then a CNP's update.
  function automatic logic [2*AlphaF+1:0] alphas_map(  // {scale, offset}
      input logic [AlphaF:0] power,
      input logic            some,
      input logic            flagged,
      input logic            update,
      input logic [AlphaF:0] gain,
      input logic [AlphaF:0] ratio);
    alphas_map = update ? {times(power, One - gain), gain} :
                          {power, flagged && some ? times(power, ratio) : {(AlphaF + 1){1'b0}}};
  endfunction

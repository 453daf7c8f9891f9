// Cycles a byte of a rate, in four stages and without a divider: a straight line through 1/x and two
// steps of Newton, which ends 2^-16 or less below the true value.
module dcqcn_rp_pace #(
    parameter int unsigned RateW     = 32,
    parameter int unsigned FactorW   = 24,  // UQ16.8
    parameter int unsigned IntervalW = 40   // UQ16.24
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic [          3:0] valid_i,    // of each stage
    input  logic [  FactorW-1:0] factor_i,   // cycles a byte at 1 Mb/s: 8000 at 1 GHz
    input  logic [    RateW-1:0] rate_i,     // UQ20.12 Mb/s
    output logic [IntervalW-1:0] interval_o  // cycles a byte; four cycles after the rate
);
  // 48/17 and 32/17, UQ2.30.
  localparam logic [31:0] Offset = 32'd3031741621;
  localparam logic [31:0] Slope = 32'd2021161081;

  // Leading zeros; those of zero are as of one.
  function automatic logic [4:0] zeros_of(input logic [31:0] x);
    zeros_of = '1;
    for (int unsigned b = 0; b < 32; b++) begin
      if (x[b]) zeros_of = 5'(31 - b);
    end
  endfunction
  // A step of Newton, y * (2 - x * y).
  function automatic logic [31:0] newton(input logic [31:0] x, input logic [31:0] y);
    logic [31:0] error;
    error  = 32'h8000_0000 - 32'((64'(x) * 64'(y)) >> 32);
    newton = 32'((64'(y) * 64'(error)) >> 30);
  endfunction

  // x in [1/2, 1), y = 1/x.
  logic [          4:0] zeros1_q, zeros2_q, zeros3_q;
  logic [         31:0] x1_q, x2_q, y1_q, y2_q, y3_q;
  logic [IntervalW-1:0] interval_q;

  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin : a_line
      logic [ 4:0] zeros;
      logic [31:0] x;
      zeros    = zeros_of(rate_i);
      x        = (rate_i == '0 ? 32'd1 : rate_i) << zeros;  // a rate of zero as one of 2^-12 Mb/s
      zeros1_q <= zeros;
      x1_q     <= x;
      y1_q     <= Offset - 32'((64'(x) * 64'(Slope)) >> 32);
    end
    if (valid_i[1]) begin
      zeros2_q <= zeros1_q;
      x2_q     <= x1_q;
      y2_q     <= newton(x1_q, y1_q);
    end
    if (valid_i[2]) begin
      zeros3_q <= zeros2_q;
      y3_q     <= newton(x2_q, y2_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      interval_q <= '0;
    end else if (valid_i[3]) begin : an_interval
      logic [63:0] interval;
      interval   = (64'(factor_i) * 64'(y3_q)) >> (6'd34 - 6'(zeros3_q));
      interval_q <= interval[63:IntervalW] != '0 ? '1 : interval[IntervalW-1:0];
    end
  end
  assign interval_o = interval_q;
endmodule

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

  logic [4:0] zeros0, zeros1_q, zeros2_q, zeros3_q;
  always_comb begin
    zeros0 = '1;  // a rate of zero as one of 2^-12 Mb/s
    for (int unsigned b = 0; b < 32; b++) begin
      if (rate_i[b]) zeros0 = 5'(31 - b);
    end
  end

  // x in [1/2, 1), y = 1/x.
  logic [31:0] x0, x1_q, x2_q, y1_q, y2_q, y3_q, y2, y3, error2, error3;
  logic [63:0] line, square2, square3, product2, product3;
  assign x0       = (rate_i == '0 ? 32'd1 : rate_i) << zeros0;
  assign line     = 64'(x0) * 64'(Slope);
  assign square2  = 64'(x1_q) * 64'(y1_q);
  assign error2   = 32'h8000_0000 - square2[63:32];  // 2 - x * y
  assign product2 = 64'(y1_q) * 64'(error2);
  assign y2       = product2[61:30];
  assign square3  = 64'(x2_q) * 64'(y2_q);
  assign error3   = 32'h8000_0000 - square3[63:32];  // 2 - x * y
  assign product3 = 64'(y2_q) * 64'(error3);
  assign y3       = product3[61:30];

  logic [63:0] product4, interval;
  assign product4 = 64'(factor_i) * 64'(y3_q);
  assign interval = product4 >> (6'd34 - 6'(zeros3_q));

  logic [IntervalW-1:0] interval_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {zeros1_q, zeros2_q, zeros3_q} <= '0;
      {x1_q, x2_q, y1_q, y2_q, y3_q} <= '0;
      interval_q                     <= '0;
    end else begin
      if (valid_i[0]) begin
        zeros1_q <= zeros0;
        x1_q     <= x0;
        y1_q     <= Offset - line[63:32];
      end
      if (valid_i[1]) begin
        zeros2_q <= zeros1_q;
        x2_q     <= x1_q;
        y2_q     <= y2;
      end
      if (valid_i[2]) begin
        zeros3_q <= zeros2_q;
        y3_q     <= y3;
      end
      if (valid_i[3]) interval_q <= interval[63:IntervalW] != '0 ? '1 : interval[IntervalW-1:0];
    end
  end
  assign interval_o = interval_q;

  logic unused;
  assign unused = &{1'b0, line[31:0], square2[31:0], square3[31:0], product2[63:62],
                    product2[29:0], product3[63:62], product3[29:0]};
endmodule

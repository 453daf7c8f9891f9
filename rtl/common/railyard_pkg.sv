// What the blocks share: widths of time, and how it is compared.
//
// A block has no timer of its own. It is given now_i, a count of its clock's cycles, stores
// deadlines, and says on wake_o when it next has something to do. Counts wrap: of two of them the
// later is the one that lies less than half of the range ahead.
package railyard_pkg;
  // 2^47 cycles of 1 ns are 39 hours.
  parameter int unsigned TimeWidth = 48;
  // Priorities of IEEE 802.1Q.
  parameter int unsigned NumPrio = 8;
endpackage

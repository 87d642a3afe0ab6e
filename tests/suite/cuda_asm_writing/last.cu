__global__ void half_typed(unsigned *out) {
  out[0] = 1;
  asm volatile("{ .reg .b32 t;\n"
               "bar.sy
//                  ^^ complete: `sy`: 1 of 5 items
//   : Modifier sync: Waits for the participating lanes
}

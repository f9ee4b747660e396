"""Choice between the compiled kernels and their twins, made when `gapless_kernels` is imported."""

import os
import sys

if os.environ.get("GAPLESS_SIMD", "avx512") not in {"plain", "avx2", "avx512"}:
    raise ValueError(f"GAPLESS_SIMD={os.environ['GAPLESS_SIMD']}: must be plain, avx2 or avx512, or not be set")

COMPILED = os.environ.get("GAPLESS_PURE") != "1" and sys.platform != "emscripten"  # a browser has none

from gapless_kernels.search._firing_twin import firing as firing

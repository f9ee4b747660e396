"""Problems with factors beside the same problems without, and beside general solvers."""

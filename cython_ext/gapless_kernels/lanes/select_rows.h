/* A template of lanes/versions.h or lanes/types.h. */

/* The rank-th largest (1 for the largest) of the values, which are reordered. */
TARGET static REAL NAMED(select)(REAL *values, ptrdiff_t count, ptrdiff_t rank)
{
    ptrdiff_t low = 0, high = count - 1;
    while (low < high) {
        const REAL pivot = values[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (values[i] > pivot)
                i++;
            while (values[j] < pivot)
                j--;
            if (i <= j) {
                const REAL held = values[i];
                values[i++] = values[j];
                values[j--] = held;
            }
        }
        if (rank - 1 <= j)
            high = j;
        else if (rank - 1 >= i)
            low = i;
        else
            break;
    }
    return values[rank - 1];
}

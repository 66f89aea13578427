# Stays as it is: its index is not divided by a factor of its bound
# Stays as it is: no axis is contiguous in memory

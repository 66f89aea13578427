"""What the compiler and its kernels cost; scripts that measure and never assert."""

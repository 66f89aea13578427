"""The batch norm modules against those of torch, in Triton's interpreter."""

"""The Rust syntax tree, one node a construct, and its printer back to Rust."""

"""What people read when their Rust is wrong: Markdown files of Rust and the diagnostics it gives."""

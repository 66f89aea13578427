"""How many elements launches touch, as the compiler says and as the interpreter sees it."""

"""Events as bytes, and the frames and packets around them."""

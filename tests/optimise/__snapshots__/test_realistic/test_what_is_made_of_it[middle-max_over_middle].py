# Stays as it is: where the mask is off, what `largest` combines is not -inf

# Stays as it is: where the mask is off, what `least` combines is not inf

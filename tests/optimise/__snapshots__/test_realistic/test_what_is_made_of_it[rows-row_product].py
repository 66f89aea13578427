# Stays as it is: `product` is carried from iteration to iteration

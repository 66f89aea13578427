# Stays as it is: `state` is carried from iteration to iteration

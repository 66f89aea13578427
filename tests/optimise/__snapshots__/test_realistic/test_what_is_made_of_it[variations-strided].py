# Stays as it is: how often the loop runs is decided by program
# Stays as it is: how often the loop runs is not known before it

# Stays as it is: lanes of BLOCK are used outside of a loop that moves along them
# Stays as it is: there is no loop
# Stays as it is: tiles are already parts of longer ones, as long as they are asked for

# Stays as it is: lanes of BLOCK are used outside of a loop that moves along them

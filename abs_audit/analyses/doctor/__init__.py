"""`doctor`: what does this machine have, how noisy is it, and which promises hold here?"""

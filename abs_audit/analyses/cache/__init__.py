"""`cache`: what is kept on this machine between commands, and for whom?"""

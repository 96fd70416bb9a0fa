"""`detectable`: how small a regression can a set-up see at all? (Laaber, Scheuner & Leitner 2018)"""

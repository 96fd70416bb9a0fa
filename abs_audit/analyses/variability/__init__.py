"""`variability`: how much do results differ within a trial, a machine, and between machines?"""

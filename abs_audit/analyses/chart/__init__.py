"""`chart`: is a new run out of control? (Nguyen et al. 2012)"""

"""`trace`: which API methods do downstream projects call?"""

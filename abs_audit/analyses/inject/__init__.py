"""`inject`: what would be injected?"""

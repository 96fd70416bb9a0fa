"""`score`: which API methods could become slower unnoticed? (Laaber & Leitner 2018)"""

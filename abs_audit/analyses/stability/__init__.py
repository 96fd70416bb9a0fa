"""`stability`: how much does each benchmark vary between runs? (maxSpread, Laaber & Leitner 2018)"""

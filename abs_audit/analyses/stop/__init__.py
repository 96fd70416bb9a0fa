"""`stop`: was enough measured? Stopping rules, and their replay on recorded series. (Wen et al. 2023)"""

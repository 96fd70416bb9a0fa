"""`sensitivity`: how slow must a method become before any benchmark notices?"""

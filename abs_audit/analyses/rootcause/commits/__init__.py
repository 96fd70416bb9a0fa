"""Which commit made it slower: the commit graph, what is measured of it, and the search."""

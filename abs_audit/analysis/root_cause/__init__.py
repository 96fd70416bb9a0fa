"""Which commit made it slow, and where: bisection on the commit graph and comparison of call trees."""

"""One offline HTML page."""

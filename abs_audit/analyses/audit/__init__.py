"""`audit`: all answers about one suite, gathered for one page."""

"""Result files of other tools, read as samples: the values of one benchmark in one process."""

"""Result files of other tools: read as samples, and written from them."""

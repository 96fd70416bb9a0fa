"""What the rooms hand to each other, as frozen data; imports only how numbers are worded."""

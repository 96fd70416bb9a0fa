"""One file a question, one frozen result each; reads measurements, runs nothing."""

"""What all renderings share: pieces of text, of documents and of pages, and exports; computes nothing."""

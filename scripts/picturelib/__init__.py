"""Makes the pictures of the README with the program itself."""

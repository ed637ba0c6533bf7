"""Charts, figures, and the HTML and terminal reports made of them."""

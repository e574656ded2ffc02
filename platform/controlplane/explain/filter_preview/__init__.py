"""What a filter means and would cost, asked as one types: nothing is stored."""

"""The methods: FA-LB, FA-PB, the exact choice of merge points, exceptions, and the optimum of several."""

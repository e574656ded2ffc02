"""Methods: FA-LB, FA-PB, exact merge points, exceptions, and the best of several."""

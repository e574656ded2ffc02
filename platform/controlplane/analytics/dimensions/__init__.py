"""Which attributes topics should index: proposals by past events, their application, and the way back."""

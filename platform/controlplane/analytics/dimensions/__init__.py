"""Choice of indexed attributes: proposals from past events, their application and reversal."""

"""Aggregation: tables that hold a switch's budget by letting entries say more than was asked for."""

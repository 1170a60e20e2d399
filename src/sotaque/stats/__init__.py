"""Estimates and their uncertainty."""

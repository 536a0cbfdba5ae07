"""Distinct primes: a swapped axis cannot fit."""

BATCH, HEADS, QUERIES, KEYS, D_HEAD, D_VALUE = 2, 3, 5, 7, 11, 13

"""What all tests share."""

import doctest

import adc


def pytest_sessionstart(session):
    failed, _ = doctest.testmod(adc)
    assert not failed

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def warn(message, category=None, stacklevel=1, source=None):
    pass
def filterwarnings(*args, **kwargs):
    pass
def simplefilter(*args, **kwargs):
    pass
def warn_explicit(*args, **kwargs):
    pass
def showwarning(*args, **kwargs):
    pass
filters = []
def resetwarnings():
    pass
class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None):
        self.record = record
    def __enter__(self):
        return [] if self.record else None
    def __exit__(self, *details):
        return False

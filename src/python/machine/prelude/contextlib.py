# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from functools import wraps as _wraps

from _nereid_abc import ABC as _ABC, abstractmethod as _abstractmethod
from _nereid import has_method as _has_method

class AbstractContextManager(_ABC):
    def __enter__(self):
        return self
    @_abstractmethod
    def __exit__(self, exc_type, exc_value, traceback):
        return None
    @classmethod
    def __subclasshook__(cls, other):
        if cls is AbstractContextManager:
            return True if _has_method(other, '__enter__') and _has_method(other, '__exit__') else NotImplemented
        return NotImplemented

class ContextDecorator:
    def __call__(self, func):
        @_wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)
        return inner
    def _recreate_cm(self):
        return self

class _GeneratorContextManager(ContextDecorator):
    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func, self.args, self.kwds = func, args, kwds
    def _recreate_cm(self):
        return type(self)(self.func, self.args, self.kwds)
    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None
    def __exit__(self, typ, value, traceback):
        if typ is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as exc:
            return exc is not value
        except BaseException as exc:
            if exc is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")

def contextmanager(func):
    @_wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)
    return helper

class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result
    def __enter__(self):
        return self.enter_result
    def __exit__(self, *excinfo):
        pass

class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions
    def __enter__(self):
        pass
    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)

class closing:
    def __init__(self, thing):
        self.thing = thing
    def __enter__(self):
        return self.thing
    def __exit__(self, *exc_info):
        self.thing.close()

class ExitStack:
    def __init__(self):
        self._callbacks = []
    def enter_context(self, cm):
        result = cm.__enter__()
        self._callbacks.append(cm.__exit__)
        return result
    def push(self, exit):
        self._callbacks.append(exit.__exit__ if hasattr(exit, '__exit__') else exit)
        return exit
    def callback(self, callback, /, *args, **kwds):
        def run(*details):
            callback(*args, **kwds)
        self._callbacks.append(run)
        return callback
    def pop_all(self):
        other = type(self)()
        other._callbacks, self._callbacks = self._callbacks, []
        return other
    def close(self):
        self.__exit__(None, None, None)
    def __enter__(self):
        return self
    def __exit__(self, *details):
        given, suppressed = details[1], False
        while self._callbacks:
            callback = self._callbacks.pop()
            try:
                if callback(*details):
                    details, suppressed = (None, None, None), True
            except BaseException as error:
                details, suppressed = (type(error), error, None), False
        if details[1] is not None and details[1] is not given:
            raise details[1]
        return suppressed and given is not None

class _Redirected:
    """What a program prints while it is read is not kept."""
    def __init__(self, new_target):
        self._target = new_target
    def __enter__(self):
        return self._target
    def __exit__(self, *details):
        return False

class redirect_stdout(_Redirected):
    pass

class redirect_stderr(_Redirected):
    pass

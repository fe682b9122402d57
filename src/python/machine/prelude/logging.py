# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
NOTSET, DEBUG, INFO, WARNING, WARN, ERROR, CRITICAL, FATAL = 0, 10, 20, 30, 30, 40, 50, 50

class Logger:
    def __init__(self, name='root', level=NOTSET):
        self.name = name
        self.level = level
        self.handlers = []
        self.propagate = True
        self.disabled = False
    def debug(self, msg, *args, **kwargs):
        pass
    info = warning = warn = error = exception = critical = fatal = warning_once = debug
    def log(self, level, msg, *args, **kwargs):
        pass
    def setLevel(self, level):
        self.level = level
    def getEffectiveLevel(self):
        return self.level or WARNING
    def isEnabledFor(self, level):
        return False
    def addHandler(self, handler):
        pass
    removeHandler = addFilter = addHandler
    def hasHandlers(self):
        return False
    def getChild(self, suffix):
        return Logger(self.name + '.' + suffix)

class Handler:
    def __init__(self, *args, **kwargs):
        pass
    def setLevel(self, level):
        pass
    setFormatter = addFilter = setLevel

class StreamHandler(Handler):
    pass

class NullHandler(Handler):
    pass

class Formatter:
    def __init__(self, *args, **kwargs):
        pass

class Filter:
    def __init__(self, name=''):
        pass

root = Logger()

def getLogger(name=None):
    return Logger(name) if name else root

_names = {CRITICAL: 'CRITICAL', ERROR: 'ERROR', WARNING: 'WARNING', INFO: 'INFO', DEBUG: 'DEBUG', NOTSET: 'NOTSET'}

def getLevelName(level):
    for number, name in _names.items():
        if level == name:
            return number
    return _names.get(level, f'Level {level}')

def addLevelName(level, name):
    pass

class LoggerAdapter:
    def __init__(self, logger, extra=None):
        self.logger = logger
        self.extra = extra
    def debug(self, msg, *args, **kwargs):
        pass
    info = warning = warn = error = exception = critical = debug
    def isEnabledFor(self, level):
        return False

class FileHandler(Handler):
    pass

def basicConfig(**kwargs):
    pass

def debug(msg, *args, **kwargs):
    pass

info = warning = warn = error = exception = critical = fatal = debug

def disable(level=CRITICAL):
    pass

captureWarnings = disable

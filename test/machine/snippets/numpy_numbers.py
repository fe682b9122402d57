#--- numbers
import numpy as np
from numpy import pi
print(pi == np.pi, np.e, np.inf, np.newaxis)
for value in (0.25, 1, 2.5, 100):
    for name in ("log", "log2", "log10", "sqrt", "exp", "sin", "cos", "tan", "arctan", "tanh", "floor", "ceil", "abs"):
        print(name, value, "%.12g" % float(getattr(np, name)(value)))
print("%.12g" % np.power(2.0, 0.5), float(np.absolute(-3.5)), int(np.prod([2, 3, 4])), int(np.prod(())))
#--- classes
import numpy as np
print(isinstance(3, np.ndarray), isinstance(2.5, (np.integer, np.generic)), isinstance("a", np.bool_))
#--- edges
import numpy as np
import warnings
warnings.simplefilter("ignore")
print(float(np.log(0.0)), float(np.sqrt(-1.0)) != float(np.sqrt(-1.0)), float(np.exp(1000.0)))

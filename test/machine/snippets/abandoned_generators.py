#--- generators that any, all and next leave before their end are over: thousands may be
found = 0
for n in range(6000):
    found += any(k > 2 for k in range(5))
    found += not all(k < 2 for k in range(5))
    found += next(k for k in range(n, n + 3)) == n
print(found)


#--- a generator that something else refers to goes on
def count(log):
    try:
        for k in range(3):
            yield k
    finally:
        log.append("closed")


log = []
print(any(k == 1 for k in count(log)), next((k for k in [7, 8]), None), next((k for k in []), "none"))

#--- what is kept goes on
kept = (k for k in range(4))
print(any(k == 1 for k in kept), next(kept), list(kept))
try:
    any(1 // k for k in (0, 1))
except ZeroDivisionError as error:
    print(error)

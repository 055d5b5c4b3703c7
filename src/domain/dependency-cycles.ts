/** Circles among things that need each other: which codes lead back to where they began. */

/** What each code leads to. */
export type Ways = ReadonlyMap<string, readonly string[]>

/** There can be more circles than anybody could read or wait for. */
export const maxCycles = 100

/** Every circle once, from its first code on, in the order of the codes: `ways` and each of its lists are in that order. */
export function circlesIn(ways: Ways): string[][] {
  const found: string[][] = []
  const back = turned(ways)
  for (const first of ways.keys()) {
    // Circles with an earlier code were found from there.
    const later = (codes: readonly string[] = []) => codes.filter((code) => code >= first)
    const ahead = reached([first], (code) => later(ways.get(code)))
    const behind = reached([first], (code) => later(back.get(code)))
    const next = (code: string) => later(ways.get(code)).filter((other) => ahead.has(other) && behind.has(other))
    addCircles(found, first, next)
  }
  return found
}

/**
 * Those that begin with that code, by Johnson's way: from where no circle went on, none is looked for again before that has
 * changed, so that a circle costs one walk at most.
 */
function addCircles(found: string[][], first: string, next: (code: string) => readonly string[]): void {
  const path: string[] = []
  const shut = new Set<string>()
  const opensWith = new Map<string, Set<string>>()
  function open(code: string): void {
    shut.delete(code)
    const waiting = opensWith.get(code) ?? []
    opensWith.delete(code)
    for (const other of waiting) if (shut.has(other)) open(other)
  }
  function closes(code: string): boolean {
    path.push(code)
    shut.add(code)
    let closed = false
    for (const other of next(code)) {
      if (found.length >= maxCycles) break
      if (other === first) found.push([...path])
      if (other === first || (!shut.has(other) && closes(other))) closed = true
    }
    if (closed) open(code)
    else for (const other of next(code)) opensWith.set(other, (opensWith.get(other) ?? new Set()).add(code))
    path.pop()
    return closed
  }
  closes(first)
}

function turned(ways: Ways): Ways {
  const back = new Map([...ways.keys()].map((code): [string, string[]] => [code, []]))
  for (const [code, others] of ways) for (const other of others) back.get(other)?.push(code)
  return back
}

/** Where one comes to from these, themselves as well. */
export function reached(from: Iterable<string>, next: (code: string) => readonly string[]): Set<string> {
  const seen = new Set(from)
  // Grows while it is walked.
  for (const code of seen) for (const other of next(code)) seen.add(other)
  return seen
}

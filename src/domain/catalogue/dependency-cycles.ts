/** Circles among things that need each other: which codes lead back to where they began. */

/** What each code leads to. */
export type Ways = ReadonlyMap<string, readonly string[]>

/** There can be more circles than anybody could read or wait for. */
export const maxCycles = 100

/** Every circle once, from its first code on, in the order of the codes: `ways` and each of its lists are in that order. */
export function circlesIn(all: Ways): string[][] {
  const found: string[][] = []
  const component = componentsOf(all)
  // A circle never leaves its component.
  const ways = new Map([...all].map(([code, others]) => [code, others.filter((other) => isTogether(code, other))]))
  const back = turned(ways)
  function isTogether(code: string, other: string) {
    const own = component.get(code)
    return own !== undefined && own === component.get(other)
  }
  for (const [first, others] of ways) {
    if (found.length >= maxCycles) break
    if (others.length === 0) continue
    // Circles with an earlier code were found from there.
    const later = (codes: readonly string[] = []) => codes.filter((code) => code >= first)
    const ahead = reached([first], (code) => later(ways.get(code)))
    const behind = reached([first], (code) => later(back.get(code)))
    const next = (code: string) => later(ways.get(code)).filter((other) => ahead.has(other) && behind.has(other))
    addCircles(found, first, next)
  }
  return found
}

/** By code its component: those that lead to each other. Two walks, by Kosaraju. */
function componentsOf(ways: Ways): Map<string, number> {
  const back = turned(ways)
  const components = new Map<string, number>()
  for (const [number, code] of fromLastLeft(ways).entries()) {
    if (components.has(code)) continue
    const members = reached([code], (one) => (back.get(one) ?? []).filter((other) => !components.has(other)))
    for (const member of members) components.set(member, number)
  }
  return components
}

/** Every code, the one that a walk in depth leaves last first. */
function fromLastLeft(ways: Ways): string[] {
  const left: string[] = []
  const seen = new Set<string>()
  for (const start of ways.keys()) {
    if (seen.has(start)) continue
    seen.add(start)
    // A stack of our own: a long way would be too deep for that of the engine.
    const path = [{ code: start, next: 0 }]
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const other = ways.get(at.code)?.[at.next++]
      if (other === undefined) left.push(path.pop()?.code ?? '')
      else if (ways.has(other) && !seen.has(other)) {
        seen.add(other)
        path.push({ code: other, next: 0 })
      }
    }
  }
  return left.toReversed()
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

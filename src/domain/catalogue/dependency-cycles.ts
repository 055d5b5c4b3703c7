/** Circles among things that need each other: which codes lead back to where they began. */

/** What each code leads to. */
export type DependencyGraph = ReadonlyMap<string, readonly string[]>

/** There can be more circles than anybody could read or wait for. */
export const maxCycles = 100

/** Every circle once, from its first code on, in the order of the codes: `ways` and each of its lists are in that order. */
export function findCycles(graph: DependencyGraph): string[][] {
  const cycles: string[][] = []
  const componentByCode = findComponents(graph)
  // A circle never leaves its component.
  const innerGraph = new Map(
    [...graph].map(([code, others]) => [code, others.filter((other) => isSameComponent(code, other))]),
  )
  const reversedGraph = reverseGraph(innerGraph)
  function isSameComponent(code: string, other: string) {
    const componentNumber = componentByCode.get(code)
    return componentNumber !== undefined && componentNumber === componentByCode.get(other)
  }
  for (const [first, others] of innerGraph) {
    if (cycles.length >= maxCycles) break
    if (others.length === 0) continue
    // Circles with an earlier code were found from there.
    const keepLater = (codes: readonly string[] = []) => codes.filter((code) => code >= first)
    const reachable = findReachable([first], (code) => keepLater(innerGraph.get(code)))
    const reaching = findReachable([first], (code) => keepLater(reversedGraph.get(code)))
    const getNext = (code: string) =>
      keepLater(innerGraph.get(code)).filter((other) => reachable.has(other) && reaching.has(other))
    addCycles(cycles, first, getNext)
  }
  return cycles
}

/** By code its component: those that lead to each other. Two walks, by Kosaraju. */
function findComponents(graph: DependencyGraph): Map<string, number> {
  const reversedGraph = reverseGraph(graph)
  const components = new Map<string, number>()
  for (const [number, code] of orderByLastVisit(graph).entries()) {
    if (components.has(code)) continue
    const members = findReachable([code], (one) =>
      (reversedGraph.get(one) ?? []).filter((other) => !components.has(other)),
    )
    for (const member of members) components.set(member, number)
  }
  return components
}

/** Every code, the one that a walk in depth leaves last first. */
function orderByLastVisit(graph: DependencyGraph): string[] {
  const visitedCodes: string[] = []
  const seen = new Set<string>()
  for (const start of graph.keys()) {
    if (seen.has(start)) continue
    seen.add(start)
    // A stack of our own: a long way would be too deep for that of the engine.
    const path = [{ code: start, next: 0 }]
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const other = graph.get(step.code)?.[step.next++]
      if (other === undefined) visitedCodes.push(path.pop()?.code ?? '')
      else if (graph.has(other) && !seen.has(other)) {
        seen.add(other)
        path.push({ code: other, next: 0 })
      }
    }
  }
  return visitedCodes.toReversed()
}

/**
 * Those that begin with that code, by Johnson's way: from where no circle went on, none is looked for again before that has
 * changed, so that a circle costs one walk at most.
 */
function addCycles(cycles: string[][], first: string, getNext: (code: string) => readonly string[]): void {
  const path: string[] = []
  const blockedCodes = new Set<string>()
  const blockedBy = new Map<string, Set<string>>()
  function unblock(code: string): void {
    blockedCodes.delete(code)
    const waitingCodes = blockedBy.get(code) ?? []
    blockedBy.delete(code)
    for (const other of waitingCodes) if (blockedCodes.has(other)) unblock(other)
  }
  function searchFrom(code: string): boolean {
    path.push(code)
    blockedCodes.add(code)
    let isClosed = false
    for (const other of getNext(code)) {
      if (cycles.length >= maxCycles) break
      if (other === first) cycles.push([...path])
      if (other === first || (!blockedCodes.has(other) && searchFrom(other))) isClosed = true
    }
    if (isClosed) unblock(code)
    else for (const other of getNext(code)) blockedBy.set(other, (blockedBy.get(other) ?? new Set()).add(code))
    path.pop()
    return isClosed
  }
  searchFrom(first)
}

function reverseGraph(graph: DependencyGraph): DependencyGraph {
  const reversedGraph = new Map([...graph.keys()].map((code): [string, string[]] => [code, []]))
  for (const [code, others] of graph) for (const other of others) reversedGraph.get(other)?.push(code)
  return reversedGraph
}

/** Where one comes to from these, themselves as well. */
export function findReachable(from: Iterable<string>, getNext: (code: string) => readonly string[]): Set<string> {
  const seen = new Set(from)
  // Grows while it is walked.
  for (const code of seen) for (const other of getNext(code)) seen.add(other)
  return seen
}

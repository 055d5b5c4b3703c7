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
    [...graph].map(([code, nextCodes]) => [code, nextCodes.filter((nextCode) => isSameComponent(code, nextCode))]),
  )
  const reversedGraph = reverseGraph(innerGraph)
  function isSameComponent(code: string, otherCode: string) {
    const componentNumber = componentByCode.get(code)
    return componentNumber !== undefined && componentNumber === componentByCode.get(otherCode)
  }
  for (const [firstCode, nextCodes] of innerGraph) {
    if (cycles.length >= maxCycles) break
    if (nextCodes.length === 0) continue
    // Circles with an earlier code were found from there.
    const filterLaterCodes = (codes: readonly string[] = []) => codes.filter((code) => code >= firstCode)
    const reachableCodes = findReachable([firstCode], (code) => filterLaterCodes(innerGraph.get(code)))
    const reachingCodes = findReachable([firstCode], (code) => filterLaterCodes(reversedGraph.get(code)))
    const getNext = (code: string) =>
      filterLaterCodes(innerGraph.get(code)).filter(
        (nextCode) => reachableCodes.has(nextCode) && reachingCodes.has(nextCode),
      )
    addCycles(cycles, firstCode, getNext)
  }
  return cycles
}

/** By code its component: those that lead to each other. Two walks, by Kosaraju. */
function findComponents(graph: DependencyGraph): Map<string, number> {
  const reversedGraph = reverseGraph(graph)
  const components = new Map<string, number>()
  for (const [number, code] of orderByLastVisit(graph).entries()) {
    if (components.has(code)) continue
    const members = findReachable([code], (memberCode) =>
      (reversedGraph.get(memberCode) ?? []).filter((previousCode) => !components.has(previousCode)),
    )
    for (const member of members) components.set(member, number)
  }
  return components
}

/** Every code, the one that a walk in depth leaves last first. */
function orderByLastVisit(graph: DependencyGraph): string[] {
  const visitedCodes: string[] = []
  const seenCodes = new Set<string>()
  for (const startCode of graph.keys()) {
    if (seenCodes.has(startCode)) continue
    seenCodes.add(startCode)
    // A stack of our own: a long way would be too deep for that of the engine.
    const path = [{ code: startCode, next: 0 }]
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const nextCode = graph.get(step.code)?.[step.next++]
      if (nextCode === undefined) visitedCodes.push(path.pop()?.code ?? '')
      else if (graph.has(nextCode) && !seenCodes.has(nextCode)) {
        seenCodes.add(nextCode)
        path.push({ code: nextCode, next: 0 })
      }
    }
  }
  return visitedCodes.toReversed()
}

/**
 * Those that begin with that code, by Johnson's way: from where no circle went on, none is looked for again before that has
 * changed, so that a circle costs one walk at most.
 */
function addCycles(cycles: string[][], firstCode: string, getNext: (code: string) => readonly string[]): void {
  const path: string[] = []
  const blockedCodes = new Set<string>()
  const blockedBy = new Map<string, Set<string>>()
  function unblock(code: string): void {
    blockedCodes.delete(code)
    const waitingCodes = blockedBy.get(code) ?? []
    blockedBy.delete(code)
    for (const waitingCode of waitingCodes) if (blockedCodes.has(waitingCode)) unblock(waitingCode)
  }
  function searchFrom(code: string): boolean {
    path.push(code)
    blockedCodes.add(code)
    let isClosed = false
    for (const nextCode of getNext(code)) {
      if (cycles.length >= maxCycles) break
      if (nextCode === firstCode) cycles.push([...path])
      if (nextCode === firstCode || (!blockedCodes.has(nextCode) && searchFrom(nextCode))) isClosed = true
    }
    if (isClosed) unblock(code)
    else for (const nextCode of getNext(code)) blockedBy.set(nextCode, (blockedBy.get(nextCode) ?? new Set()).add(code))
    path.pop()
    return isClosed
  }
  searchFrom(firstCode)
}

function reverseGraph(graph: DependencyGraph): DependencyGraph {
  const reversedGraph = new Map([...graph.keys()].map((code): [string, string[]] => [code, []]))
  for (const [code, nextCodes] of graph) for (const nextCode of nextCodes) reversedGraph.get(nextCode)?.push(code)
  return reversedGraph
}

/** Where one comes to from these, themselves as well. */
export function findReachable(from: Iterable<string>, getNext: (code: string) => readonly string[]): Set<string> {
  const reachedCodes = new Set(from)
  // Grows while it is walked.
  for (const code of reachedCodes) for (const nextCode of getNext(code)) reachedCodes.add(nextCode)
  return reachedCodes
}

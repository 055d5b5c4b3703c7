export type DependencyGraph = ReadonlyMap<string, readonly string[]>

/** Maximum number of returned cycles. Without it, their number could grow exponentially. */
export const maxCycles = 100

/** Returns every cycle once, starting with its first code, sorted by code. The graph and its lists must be sorted. */
export function findCycles(graph: DependencyGraph): string[][] {
  const cycles: string[][] = []
  const componentByCode = findComponents(graph)
  // A cycle never leaves its component.
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
    // Cycles with an earlier code were already found from that code.
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

/** Returns the strongly connected component of each code. Uses Kosaraju's two passes. */
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

/** Returns all codes in reverse postorder of a depth-first search. */
function orderByLastVisit(graph: DependencyGraph): string[] {
  const visitedCodes: string[] = []
  const seenCodes = new Set<string>()
  for (const startCode of graph.keys()) {
    if (seenCodes.has(startCode)) continue
    seenCodes.add(startCode)
    // Uses an explicit stack, because a long path would overflow the call stack.
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

/** Finds cycles by Johnson's algorithm: codes without a cycle stay blocked until that can change, so each cycle needs only one pass. */
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

export function findReachable(from: Iterable<string>, getNext: (code: string) => readonly string[]): Set<string> {
  const reachedCodes = new Set(from)
  // The set grows during the iteration.
  for (const code of reachedCodes) for (const nextCode of getNext(code)) reachedCodes.add(nextCode)
  return reachedCodes
}

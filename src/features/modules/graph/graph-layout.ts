/** Calculates the positions of modules in the dependency graph: a required module is left of those that require it. */
import { Graph, layout } from '@dagrejs/dagre'

export interface GraphModule {
  code: string
  name: string
  hidden: boolean
  dependencies: readonly string[]
  conditions: readonly string[]
}

export interface GraphBox extends GraphModule {
  /** Upper left corner, px. */
  x: number
  y: number
}

interface GraphPoint {
  x: number
  y: number
}

export interface GraphLine {
  from: string
  to: string
  /** True for a condition that adds a hidden module, false for a dependency. */
  isCondition: boolean
  points: readonly GraphPoint[]
}

export interface GraphLayout {
  width: number
  height: number
  boxes: GraphBox[]
  lines: GraphLine[]
}

export const boxSize = { width: 184, height: 44 }
/** Gap between two columns of boxes, px. */
const columnGap = 32
/** Maximum number of boxes. A drawing with more of them would be unreadable. */
export const maxBoxes = 80

export function collectConnected(modules: readonly GraphModule[], listedCodes: readonly string[]): GraphModule[] {
  const modulesByCode = new Map(modules.map((module) => [module.code, module]))
  const listNeighbours = (module: GraphModule) => [
    ...module.dependencies,
    ...module.conditions,
    ...modules
      .filter((otherModule) => [...otherModule.dependencies, ...otherModule.conditions].includes(module.code))
      .map(({ code }) => code),
  ]
  const connectedCodes = new Set(listedCodes.filter((code) => modulesByCode.has(code)))
  // The set grows during the iteration.
  for (const code of connectedCodes) {
    if (connectedCodes.size >= maxBoxes) break
    const module = modulesByCode.get(code)
    if (module)
      for (const neighbour of listNeighbours(module)) if (modulesByCode.has(neighbour)) connectedCodes.add(neighbour)
  }
  return [...connectedCodes].slice(0, maxBoxes).flatMap((code) => modulesByCode.get(code) ?? [])
}

export function layoutModules(modules: readonly GraphModule[]): GraphLayout {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: columnGap, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  const codes = new Set(modules.map(({ code }) => code))
  for (const { code } of modules) graph.setNode(code, { ...boxSize })
  const edges = modules.flatMap(({ code, dependencies, conditions }) => [
    ...dependencies.map((otherCode) => ({ from: otherCode, to: code, isCondition: false })),
    ...conditions
      .filter((otherCode) => !dependencies.includes(otherCode))
      .map((otherCode) => ({ from: otherCode, to: code, isCondition: true })),
  ])
  const knownEdges = edges.filter(({ from, to }) => codes.has(from) && from !== to)
  for (const { from, to } of knownEdges) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    boxes: modules.map((module) => {
      const { x, y } = graph.node(module.code) as { x: number; y: number }
      return { ...module, x: x - boxSize.width / 2, y: y - boxSize.height / 2 }
    }),
    lines: knownEdges.map((edge) => ({
      ...edge,
      points: routeLine(
        (graph.edge(edge.from, edge.to) as { points: GraphPoint[] }).points,
        getCentre(graph, edge.from),
        getCentre(graph, edge.to),
      ),
    })),
  }
}

const getCentre = (graph: Graph, code: string) => graph.node(code) as GraphPoint

/**
 * Returns the points of a connection between the facing sides of two boxes. It crosses each column between them horizontally, in the space
 * that the layout has reserved. A straight line between the points would be hidden behind the corners of boxes.
 */
function routeLine(points: readonly GraphPoint[], from: GraphPoint, to: GraphPoint): GraphPoint[] {
  // In a circular dependency, one connection runs backwards.
  const halfWidth = (boxSize.width / 2) * (to.x < from.x ? -1 : 1)
  const columnWidth = boxSize.width + columnGap
  const isInColumn = ({ x }: GraphPoint) => Math.abs((((x - from.x) % columnWidth) + columnWidth) % columnWidth) < 1
  return [
    { x: from.x + halfWidth, y: from.y },
    ...points.slice(1, -1).flatMap((point) =>
      isInColumn(point)
        ? [
            { x: point.x - halfWidth, y: point.y },
            { x: point.x + halfWidth, y: point.y },
          ]
        : [point],
    ),
    { x: to.x - halfWidth, y: to.y },
  ]
}

/** Where the modules stand in the drawing of what needs what: what is needed left of what needs it. */
import { Graph, layout } from '@dagrejs/dagre'

export interface GraphModule {
  code: string
  name: string
  hidden: boolean
  dependencies: readonly string[]
  conditions: readonly string[]
}

export interface GraphBox extends GraphModule {
  /** Of its left upper corner, px. */
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
  /** A condition that brings a hidden module, not a need. */
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
/** Between two columns of boxes, px. */
const columnGap = 32
/** More than these nobody reads in one picture. */
export const maxBoxes = 80

/** The modules that are shown in the list and all that they are tied to, nearest first, `maxBoxes` at most. */
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
  // Grows while it is walked.
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
 * From the side of one box to the facing side of the other. The columns of boxes between them are passed level, in the room that the
 * layout has left there for the line: straight from point to point it would run under the corners of their boxes.
 */
function routeLine(points: readonly GraphPoint[], from: GraphPoint, to: GraphPoint): GraphPoint[] {
  // In a circle one of them goes back.
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

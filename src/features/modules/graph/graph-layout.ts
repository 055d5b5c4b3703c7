/** Where the modules stand in the drawing of what needs what: what is needed left of what needs it. */
import { Graph, layout } from '@dagrejs/dagre'

export interface Drawn {
  code: string
  name: string
  hidden: boolean
  dependencies: readonly string[]
  conditions: readonly string[]
}

export interface Box extends Drawn {
  /** Of its left upper corner, px. */
  x: number
  y: number
}

interface Point {
  x: number
  y: number
}

export interface Line {
  from: string
  to: string
  /** A condition that brings a hidden module, not a need. */
  isCondition: boolean
  points: readonly Point[]
}

export interface Layout {
  width: number
  height: number
  boxes: Box[]
  lines: Line[]
}

export const boxSize = { width: 184, height: 44 }
/** Between two columns of boxes, px. */
const gap = 32
/** More than these nobody reads in one picture. */
export const maxBoxes = 80

/** The modules that are shown in the list and all that they are tied to, nearest first, `maxBoxes` at most. */
export function around(modules: readonly Drawn[], shown: readonly string[]): Drawn[] {
  const byCode = new Map(modules.map((one) => [one.code, one]))
  const tied = (one: Drawn) => [
    ...one.dependencies,
    ...one.conditions,
    ...modules
      .filter((other) => [...other.dependencies, ...other.conditions].includes(one.code))
      .map(({ code }) => code),
  ]
  const found = new Set(shown.filter((code) => byCode.has(code)))
  // Grows while it is walked.
  for (const code of found) {
    if (found.size >= maxBoxes) break
    const one = byCode.get(code)
    if (one) for (const other of tied(one)) if (byCode.has(other)) found.add(other)
  }
  return [...found].slice(0, maxBoxes).flatMap((code) => byCode.get(code) ?? [])
}

export function placed(modules: readonly Drawn[]): Layout {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: gap, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  const codes = new Set(modules.map(({ code }) => code))
  for (const { code } of modules) graph.setNode(code, { ...boxSize })
  const ties = modules.flatMap(({ code, dependencies, conditions }) => [
    ...dependencies.map((other) => ({ from: other, to: code, isCondition: false })),
    ...conditions
      .filter((other) => !dependencies.includes(other))
      .map((other) => ({ from: other, to: code, isCondition: true })),
  ])
  const known = ties.filter(({ from, to }) => codes.has(from) && from !== to)
  for (const { from, to } of known) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    boxes: modules.map((one) => {
      const { x, y } = graph.node(one.code) as { x: number; y: number }
      return { ...one, x: x - boxSize.width / 2, y: y - boxSize.height / 2 }
    }),
    lines: known.map((tie) => ({
      ...tie,
      points: beside(
        (graph.edge(tie.from, tie.to) as { points: Point[] }).points,
        centreOf(graph, tie.from),
        centreOf(graph, tie.to),
      ),
    })),
  }
}

const centreOf = (graph: Graph, code: string) => graph.node(code) as Point

/**
 * From the side of one box to the facing side of the other. The columns of boxes between them are passed level, in the room that the
 * layout has left there for the line: straight from point to point it would run under the corners of their boxes.
 */
function beside(points: readonly Point[], from: Point, to: Point): Point[] {
  // In a circle one of them goes back.
  const half = (boxSize.width / 2) * (to.x < from.x ? -1 : 1)
  const column = boxSize.width + gap
  const isInColumn = ({ x }: Point) => Math.abs((((x - from.x) % column) + column) % column) < 1
  return [
    { x: from.x + half, y: from.y },
    ...points.slice(1, -1).flatMap((point) =>
      isInColumn(point)
        ? [
            { x: point.x - half, y: point.y },
            { x: point.x + half, y: point.y },
          ]
        : [point],
    ),
    { x: to.x - half, y: to.y },
  ]
}

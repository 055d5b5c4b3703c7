/** Tests the layout of the graph of module dependencies. */
import { describe, expect, it } from 'vitest'
import { type GraphBox, boxSize, type GraphModule, layoutModules } from '#features/modules/graph/graph-layout.ts'
import { createRandom } from '#tests/support/runner/random.ts'

const createGraphModule = (code: string, dependencies: string[], conditions: string[] = []): GraphModule => ({
  code,
  name: code,
  hidden: conditions.length > 0,
  dependencies,
  conditions,
})

type GraphPoint = { x: number; y: number }

/** Returns true if the segment crosses the inside of the box. It may touch the border. */
function crossesBox(a: GraphPoint, b: GraphPoint, box: GraphBox): boolean {
  const border = 0.5
  const [left, right] = [box.x + border, box.x + boxSize.width - border]
  const [top, bottom] = [box.y + border, box.y + boxSize.height - border]
  let [firstPosition, lastPosition] = [0, 1]
  for (const [startCoordinate, step, low, high] of [
    [a.x, b.x - a.x, left, right],
    [a.y, b.y - a.y, top, bottom],
  ] as const) {
    if (step === 0 && (startCoordinate <= low || startCoordinate >= high)) return false
    if (step === 0) continue
    const [lowPosition, highPosition] = [(low - startCoordinate) / step, (high - startCoordinate) / step]
    firstPosition = Math.max(firstPosition, Math.min(lowPosition, highPosition))
    lastPosition = Math.min(lastPosition, Math.max(lowPosition, highPosition))
  }
  return firstPosition < lastPosition
}

function listCrossings(modules: readonly GraphModule[]): string[] {
  const { boxes, lines } = layoutModules(modules)
  return lines.flatMap(({ from, to, points }) =>
    points.slice(1).flatMap((endPoint, index) => {
      const startPoint = points[index] ?? endPoint
      return boxes
        .filter((box) => crossesBox(startPoint, endPoint, box))
        .map(({ code }) => `${from}-${to} under ${code}`)
    }),
  )
}

describe('an arrow of the module graph', () => {
  it('never runs under a box, however far apart the modules are', () => {
    const chain = ['a', 'b', 'c', 'd', 'e'].map((code, index, codes) =>
      createGraphModule(code, index === 0 ? [] : [codes[index - 1] ?? '']),
    )
    expect(
      listCrossings([
        ...chain,
        createGraphModule('far', ['a', 'd']),
        createGraphModule('last', ['a', 'b', 'e'], ['c']),
      ]),
    ).toEqual([])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('never runs under a box in the random catalogue %i', (seed) => {
    const random = createRandom(seed)
    const codes = Array.from({ length: 30 }, (_, index) => `m${index}`)
    const modules = codes.map((code, index) => {
      const earlierCodes = codes.slice(0, index).filter(() => random() < 0.12)
      return createGraphModule(code, earlierCodes.slice(1), earlierCodes.slice(0, 1))
    })
    expect(layoutModules(modules).lines.length).toBeGreaterThan(20)
    expect(listCrossings(modules)).toEqual([])
  })

  it('never runs under a box if modules require each other in a circle', () => {
    const circle = [
      createGraphModule('a', ['d']),
      createGraphModule('b', ['a']),
      createGraphModule('c', ['b']),
      createGraphModule('d', ['c']),
      createGraphModule('e', ['a', 'd']),
    ]
    expect(layoutModules(circle).lines).toHaveLength(6)
    expect(listCrossings(circle)).toEqual([])
  })

  it('leads from the right side of the required module to the left side of the dependent one', () => {
    const { boxes, lines } = layoutModules([createGraphModule('a', []), createGraphModule('b', ['a'])])
    const [a, b] = boxes
    const getMiddle = (box?: GraphBox) => (box?.y ?? 0) + boxSize.height / 2
    expect(lines[0]?.points[0]).toEqual({ x: (a?.x ?? 0) + boxSize.width, y: getMiddle(a) })
    expect(lines[0]?.points.at(-1)).toEqual({ x: b?.x, y: getMiddle(b) })
  })
})

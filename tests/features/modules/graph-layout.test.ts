/** The drawing of what needs what. */
import { describe, expect, it } from 'vitest'
import { type Box, boxSize, type Drawn, placed } from '#features/modules/graph/graph-layout.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'

const drawn = (code: string, dependencies: string[], conditions: string[] = []): Drawn => ({
  code,
  name: code,
  hidden: conditions.length > 0,
  dependencies,
  conditions,
})

type Point = { x: number; y: number }

/** Whether a stretch runs through the inside of a box; its rim may be touched. */
function runsUnder(a: Point, b: Point, box: Box): boolean {
  const rim = 0.5
  const [left, right] = [box.x + rim, box.x + boxSize.width - rim]
  const [top, bottom] = [box.y + rim, box.y + boxSize.height - rim]
  let [first, last] = [0, 1]
  for (const [from, by, low, high] of [
    [a.x, b.x - a.x, left, right],
    [a.y, b.y - a.y, top, bottom],
  ] as const) {
    if (by === 0 && (from <= low || from >= high)) return false
    if (by === 0) continue
    const [one, other] = [(low - from) / by, (high - from) / by]
    first = Math.max(first, Math.min(one, other))
    last = Math.min(last, Math.max(one, other))
  }
  return first < last
}

function crossings(modules: readonly Drawn[]): string[] {
  const { boxes, lines } = placed(modules)
  return lines.flatMap(({ from, to, points }) =>
    points.slice(1).flatMap((end, at) => {
      const begin = points[at] ?? end
      return boxes.filter((box) => runsUnder(begin, end, box)).map(({ code }) => `${from}-${to} under ${code}`)
    }),
  )
}

describe('an arrow', () => {
  it('runs under no box, however far apart the two are', () => {
    const chain = ['a', 'b', 'c', 'd', 'e'].map((code, at, all) => drawn(code, at === 0 ? [] : [all[at - 1] ?? '']))
    expect(crossings([...chain, drawn('far', ['a', 'd']), drawn('last', ['a', 'b', 'e'], ['c'])])).toEqual([])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('nor in a catalogue made at random (%i)', (seed) => {
    const chance = chanceOf(seed)
    const codes = Array.from({ length: 30 }, (_, at) => `m${at}`)
    const modules = codes.map((code, at) => {
      const earlier = codes.slice(0, at).filter(() => chance() < 0.12)
      return drawn(code, earlier.slice(1), earlier.slice(0, 1))
    })
    expect(placed(modules).lines.length).toBeGreaterThan(20)
    expect(crossings(modules)).toEqual([])
  })

  it('nor where modules bring each other in, in a circle', () => {
    const circle = [drawn('a', ['d']), drawn('b', ['a']), drawn('c', ['b']), drawn('d', ['c']), drawn('e', ['a', 'd'])]
    expect(placed(circle).lines).toHaveLength(6)
    expect(crossings(circle)).toEqual([])
  })

  it('goes from the right side of what is needed to the left side of what needs it', () => {
    const { boxes, lines } = placed([drawn('a', []), drawn('b', ['a'])])
    const [a, b] = boxes
    const middle = (box?: Box) => (box?.y ?? 0) + boxSize.height / 2
    expect(lines[0]?.points[0]).toEqual({ x: (a?.x ?? 0) + boxSize.width, y: middle(a) })
    expect(lines[0]?.points.at(-1)).toEqual({ x: b?.x, y: middle(b) })
  })
})

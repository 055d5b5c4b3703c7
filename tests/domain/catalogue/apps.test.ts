/** Versions of apps, and what a set of apps lacks (contracts 4, 8). */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type AppFaults, appFaults, compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { maxCycles } from '#domain/catalogue/dependency-cycles.ts'

describe('of two versions', () => {
  it.each([
    ['1.9', '<', '1.10'],
    ['1.0', '=', '1.0.0'],
    ['1', '=', '01.00'],
    ['1.0.1', '>', '1'],
    ['0.9', '<', '1'],
    ['2', '>', '1.99.99'],
    ['1.99999999999999999999', '<', '1.100000000000000000000'],
    // What is not a number comes before every number.
    ['1.beta', '<', '1'],
    ['1.beta', '<', '1.rc'],
    ['1.rc', '<', '1.0'],
    ['1.', '<', '1'],
    ['', '<', '0'],
    ['1.-1', '<', '1.0'],
    ['1.1e3', '<', '1.2'],
  ])('%s %s %s', (one, is, other) => {
    expect('<=>'[Math.sign(compareVersions(one, other)) + 1]).toBe(is)
  })

  const numbers = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 4 })
  test('the newer one is the one with the greater number at the first place where they differ', () => {
    const padded = (places: number[]) => [...places, 0, 0, 0, 0].slice(0, 4).map((one) => String(one).padStart(2, '0'))
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const [left, right] = [padded(one).join(), padded(other).join()]
        const expected = left < right ? -1 : left > right ? 1 : 0
        expect(Math.sign(compareVersions(one.join('.'), other.join('.')))).toBe(expected)
      }),
    )
  })

  const anything = fc
    .array(fc.oneof(fc.nat({ max: 3 }).map(String), fc.constantFrom('', '00', 'a', 'b', '-1')), { maxLength: 4 })
    .map((places) => places.join('.'))
  test('whatever stands in them, all versions have one order', () => {
    fc.assert(
      fc.property(anything, anything, anything, (one, other, third) => {
        expect(compareVersions(one, one)).toBe(0)
        expect(Math.sign(compareVersions(one, other)) + Math.sign(compareVersions(other, one))).toBe(0)
        const [low, middle, high] = [one, other, third].sort(compareVersions) as [string, string, string]
        expect([compareVersions(low, middle), compareVersions(middle, high), compareVersions(low, high)]).toSatisfy(
          (orders: number[]) => orders.every((order) => order <= 0),
        )
      }),
    )
  })
})

const app = (code: string, version: string, ...needs: string[]): PublishedApp => ({
  code,
  version,
  requires: needs.map((need) => {
    const [other = '', least = '0'] = need.split(' ')
    return { code: other, version: least }
  }),
})

describe('a set of apps', () => {
  it('that brings all that it needs, new enough, has no faults', () => {
    const published = [app('pay', '1.10', 'base 1.9'), app('base', '1.9')]
    expect(appFaults(published, ['pay', 'base'])).toEqual({ missing: [], loops: [], incompatible: [] })
  })

  it('lacks what its apps need at first or at second hand, and what nobody has published', () => {
    const published = [app('pay', '1', 'tax'), app('tax', '1', 'rates', 'gone'), app('rates', '1')]
    expect(appFaults(published, ['pay', 'new']).missing).toEqual(['gone', 'new', 'rates', 'tax'])
  })

  it('runs in circles, each told once from its first code on', () => {
    const published = [app('c', '1', 'a'), app('b', '1', 'c', 'a'), app('a', '1', 'b'), app('d', '1', 'd', 'a')]
    expect(appFaults(published, ['c', 'd']).loops).toEqual([['a', 'b'], ['a', 'b', 'c'], ['d']])
    expect(appFaults(published, ['d', 'c', 'b', 'a']).loops).toHaveLength(3)
  })

  it('needs another version where the newest one is lower, and says which', () => {
    const published = [app('pay', '1', 'tax 2.1', 'base 1.10', 'gone 9'), app('base', '1.10.0'), app('tax', '2.0.9')]
    expect(appFaults(published, ['pay', 'base', 'tax']).incompatible).toEqual([
      { code: 'pay', requires: [{ code: 'tax', version: '2.1' }] },
    ])
  })

  it('with more circles than can be read is told as many as can, at once', () => {
    const codes = Array.from({ length: 40 }, (_, at) => `a${at}`)
    const published = codes.map((code) => app(code, '1', ...codes))
    expect(appFaults(published, codes).loops).toHaveLength(maxCycles)
  })

  it('that is long and has no circle is walked through at once', () => {
    // Each needs all the later ones: there are 2^298 ways from the first to the last.
    const codes = Array.from({ length: 300 }, (_, at) => `a${String(at).padStart(3, '0')}`)
    const published = codes.map((code, at) => app(code, '1', ...codes.slice(at + 1)))
    expect(appFaults(published, ['a000'])).toMatchObject({ loops: [], missing: codes.slice(1) })
  })

  const codes = ['a', 'b', 'c', 'd', 'e']
  const version = fc.constantFrom('1', '1.9', '1.10', '2.0', '2')
  const need = fc.record({ code: fc.constantFrom(...codes), version })
  const catalogue = fc
    .subarray(codes)
    .chain((some) =>
      fc.tuple(
        ...some.map((code) =>
          fc.record({ code: fc.constant(code), version, requires: fc.array(need, { maxLength: 4 }) }),
        ),
      ),
    )
  const brought = fc.subarray(codes).chain((some) => fc.shuffledSubarray(some, { minLength: some.length }))

  test('has the faults that one finds by trying everything, in the order of the codes', () => {
    fc.assert(
      fc.property(catalogue, brought, (published, set) => {
        expect(appFaults(published, set)).toEqual(tried(published, set))
      }),
      { numRuns: 1000 },
    )
  })

  /** Every row of codes that there is, looked at one after the other. */
  function tried(published: readonly PublishedApp[], set: readonly string[]): AppFaults {
    const find = (code: string) => published.find((one) => one.code === code)
    const needs = (one: string, other: string) => (find(one)?.requires ?? []).some(({ code }) => code === other)
    const rows = (left: readonly string[]): string[][] =>
      left.flatMap((code) => [[code], ...rows(left.filter((one) => one !== code)).map((row) => [code, ...row])])
    const linked = (row: readonly string[]) => row.every((code, at) => at === 0 || needs(row[at - 1] ?? '', code))
    const all = rows(codes)
    const asked = codes.filter((code) =>
      all.some((row) => set.includes(row[0] ?? '') && row.at(-1) === code && linked(row)),
    )
    const place = (text: string) => ['1', '1.9', '1.10', '2'].indexOf(text.replace('.0', ''))
    return {
      missing: asked.filter((code) => !(set.includes(code) && find(code))),
      loops: all
        .filter((row) => row.every((code) => code >= (row[0] ?? '')) && asked.includes(row[0] ?? ''))
        .filter((row) => linked([...row, row[0] ?? '']))
        .toSorted((one, other) => (one.join('') < other.join('') ? -1 : 1)),
      incompatible: asked.flatMap((code) => {
        const low = (find(code)?.requires ?? []).filter((one) => {
          const there = find(one.code)
          return there && place(there.version) < place(one.version)
        })
        const sorted = low.toSorted((a, b) => a.code.localeCompare(b.code) || place(a.version) - place(b.version))
        return low.length === 0 ? [] : [{ code, requires: sorted }]
      }),
    }
  }
})

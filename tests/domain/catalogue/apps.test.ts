/** Tests versions of apps, and the faults of a set of apps (contracts 4, 8). */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type AppFaults, findAppFaults, compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { maxCycles } from '#domain/catalogue/dependency-cycles.ts'

describe('compareVersions', () => {
  it.each([
    ['1.9', '<', '1.10'],
    ['1.0', '=', '1.0.0'],
    ['1', '=', '01.00'],
    ['1.0.1', '>', '1'],
    ['0.9', '<', '1'],
    ['2', '>', '1.99.99'],
    ['1.99999999999999999999', '<', '1.100000000000000000000'],
    // A part that is not a number comes before every number.
    ['1.beta', '<', '1'],
    ['1.beta', '<', '1.rc'],
    ['1.rc', '<', '1.0'],
    ['1.', '<', '1'],
    ['', '<', '0'],
    ['1.-1', '<', '1.0'],
    ['1.1e3', '<', '1.2'],
  ])('finds that %s %s %s', (version, sign, otherVersion) => {
    expect('<=>'[Math.sign(compareVersions(version, otherVersion)) + 1]).toBe(sign)
  })

  const versionNumbers = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 4 })
  test('decides by the number at the first position where the versions differ', () => {
    const padNumbers = (places: number[]) =>
      [...places, 0, 0, 0, 0].slice(0, 4).map((number) => String(number).padStart(2, '0'))
    fc.assert(
      fc.property(versionNumbers, versionNumbers, (firstNumbers, secondNumbers) => {
        const [left, right] = [padNumbers(firstNumbers).join(), padNumbers(secondNumbers).join()]
        const expected = left < right ? -1 : left > right ? 1 : 0
        expect(Math.sign(compareVersions(firstNumbers.join('.'), secondNumbers.join('.')))).toBe(expected)
      }),
    )
  })

  const anyVersion = fc
    .array(fc.oneof(fc.nat({ max: 3 }).map(String), fc.constantFrom('', '00', 'a', 'b', '-1')), { maxLength: 4 })
    .map((places) => places.join('.'))
  test('gives versions of any text one consistent order', () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, anyVersion, (firstVersion, secondVersion, thirdVersion) => {
        expect(compareVersions(firstVersion, firstVersion)).toBe(0)
        expect(
          Math.sign(compareVersions(firstVersion, secondVersion)) +
            Math.sign(compareVersions(secondVersion, firstVersion)),
        ).toBe(0)
        const [low, middle, high] = [firstVersion, secondVersion, thirdVersion].sort(compareVersions) as [
          string,
          string,
          string,
        ]
        expect([compareVersions(low, middle), compareVersions(middle, high), compareVersions(low, high)]).toSatisfy(
          (orders: number[]) => orders.every((order) => order <= 0),
        )
      }),
    )
  })
})

const buildApp = (code: string, version: string, ...requirements: string[]): PublishedApp => ({
  code,
  version,
  requires: requirements.map((need) => {
    const [otherCode = '', minVersion = '0'] = need.split(' ')
    return { code: otherCode, version: minVersion }
  }),
})

describe('findAppFaults', () => {
  it('finds no fault in a complete set with versions that are new enough', () => {
    const publishedApps = [buildApp('pay', '1.10', 'base 1.9'), buildApp('base', '1.9')]
    expect(findAppFaults(publishedApps, ['pay', 'base'])).toEqual({ missing: [], loops: [], incompatible: [] })
  })

  it('finds apps that are required directly or indirectly but missing or unpublished', () => {
    const publishedApps = [buildApp('pay', '1', 'tax'), buildApp('tax', '1', 'rates', 'gone'), buildApp('rates', '1')]
    expect(findAppFaults(publishedApps, ['pay', 'new']).missing).toEqual(['gone', 'new', 'rates', 'tax'])
  })

  it('finds each cycle once, starting with its first code', () => {
    const publishedApps = [
      buildApp('c', '1', 'a'),
      buildApp('b', '1', 'c', 'a'),
      buildApp('a', '1', 'b'),
      buildApp('d', '1', 'd', 'a'),
    ]
    expect(findAppFaults(publishedApps, ['c', 'd']).loops).toEqual([['a', 'b'], ['a', 'b', 'c'], ['d']])
    expect(findAppFaults(publishedApps, ['d', 'c', 'b', 'a']).loops).toHaveLength(3)
  })

  it('finds apps that need a higher version than the latest, and names that version', () => {
    const publishedApps = [
      buildApp('pay', '1', 'tax 2.1', 'base 1.10', 'gone 9'),
      buildApp('base', '1.10.0'),
      buildApp('tax', '2.0.9'),
    ]
    expect(findAppFaults(publishedApps, ['pay', 'base', 'tax']).incompatible).toEqual([
      { code: 'pay', requires: [{ code: 'tax', version: '2.1' }] },
    ])
  })

  it('stops at the maximum number of cycles', () => {
    const codes = Array.from({ length: 40 }, (_, index) => `a${index}`)
    const publishedApps = codes.map((code) => buildApp(code, '1', ...codes))
    expect(findAppFaults(publishedApps, codes).loops).toHaveLength(maxCycles)
  })

  it('is fast for 300 apps with many paths and no cycle', () => {
    // Each app requires all later ones, so there are 2^298 paths from the first to the last.
    const codes = Array.from({ length: 300 }, (_, index) => `a${String(index).padStart(3, '0')}`)
    const publishedApps = codes.map((code, index) => buildApp(code, '1', ...codes.slice(index + 1)))
    expect(findAppFaults(publishedApps, ['a000'])).toMatchObject({ loops: [], missing: codes.slice(1) })
  })

  const codes = ['a', 'b', 'c', 'd', 'e']
  const version = fc.constantFrom('1', '1.9', '1.10', '2.0', '2')
  const need = fc.record({ code: fc.constantFrom(...codes), version })
  const catalogueArbitrary = fc
    .subarray(codes)
    .chain((selectedCodes) =>
      fc.tuple(
        ...selectedCodes.map((code) =>
          fc.record({ code: fc.constant(code), version, requires: fc.array(need, { maxLength: 4 }) }),
        ),
      ),
    )
  const broughtCodes = fc
    .subarray(codes)
    .chain((selectedCodes) => fc.shuffledSubarray(selectedCodes, { minLength: selectedCodes.length }))

  test('finds the same faults as an exhaustive search, in the order of the codes', () => {
    fc.assert(
      fc.property(catalogueArbitrary, broughtCodes, (publishedApps, codesToCheck) => {
        expect(findAppFaults(publishedApps, codesToCheck)).toEqual(findFaultsByTrying(publishedApps, codesToCheck))
      }),
      { numRuns: 1000 },
    )
  })

  /** Finds the faults by an exhaustive search over every sequence of codes. */
  function findFaultsByTrying(publishedApps: readonly PublishedApp[], codesToCheck: readonly string[]): AppFaults {
    const findApp = (code: string) => publishedApps.find((app) => app.code === code)
    const requiresApp = (appCode: string, otherCode: string) =>
      (findApp(appCode)?.requires ?? []).some(({ code }) => code === otherCode)
    const listPermutations = (remainingCodes: readonly string[]): string[][] =>
      remainingCodes.flatMap((code) => [
        [code],
        ...listPermutations(remainingCodes.filter((otherCode) => otherCode !== code)).map((row) => [code, ...row]),
      ])
    const isChain = (row: readonly string[]) =>
      row.every((code, index) => index === 0 || requiresApp(row[index - 1] ?? '', code))
    const permutations = listPermutations(codes)
    const reachableCodes = codes.filter((code) =>
      permutations.some((row) => codesToCheck.includes(row[0] ?? '') && row.at(-1) === code && isChain(row)),
    )
    const rankVersion = (text: string) => ['1', '1.9', '1.10', '2'].indexOf(text.replace('.0', ''))
    return {
      missing: reachableCodes.filter((code) => !(codesToCheck.includes(code) && findApp(code))),
      loops: permutations
        .filter((row) => row.every((code) => code >= (row[0] ?? '')) && reachableCodes.includes(row[0] ?? ''))
        .filter((row) => isChain([...row, row[0] ?? '']))
        .toSorted((firstCodes, secondCodes) => (firstCodes.join('') < secondCodes.join('') ? -1 : 1)),
      incompatible: reachableCodes.flatMap((code) => {
        const unmetRequirements = (findApp(code)?.requires ?? []).filter((requirement) => {
          const publishedApp = findApp(requirement.code)
          return publishedApp && rankVersion(publishedApp.version) < rankVersion(requirement.version)
        })
        const sorted = unmetRequirements.toSorted(
          (a, b) => a.code.localeCompare(b.code) || rankVersion(a.version) - rankVersion(b.version),
        )
        return unmetRequirements.length === 0 ? [] : [{ code, requires: sorted }]
      }),
    }
  }
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ComparedPriceList, findPriceDifferences } from '#domain/catalogue/price-differences.ts'
import { lists } from '#tests/domain/fees/goldens.ts'
import { randomContent, randomHeader } from '#tests/support/orders/random-prices.ts'

const backup = {
  pdb2s3_fee_hkd: '6000.00',
  pdb2s3_fee_usd: '770.00',
  pdb2s3_fee_rmb: '5400.00',
  pdb2s3_traffic: '50.00',
  pdb2s3_discount: '10.00',
  pdb2s3_up_hkd: '12.50',
  pdb2s3_up_usd: '1.60',
  pdb2s3_up_rmb: '11.25',
  pdb2rds_fee_hkd: '15000.00',
  pdb2rds_fee_usd: '1925.00',
  pdb2rds_fee_rmb: '13500.00',
  pdb2rds_discount: '0.00',
}
const baseList: ComparedPriceList = { ...lists.A, effective_date: '2026-01-01', desc: 'A', pdbPrice: backup }
const buildChangedList = (change: (list: ComparedPriceList) => Partial<ComparedPriceList>) => ({
  ...baseList,
  ...change(structuredClone(baseList)),
})
const findDifferences = (change: (list: ComparedPriceList) => Partial<ComparedPriceList>) =>
  findPriceDifferences(baseList, buildChangedList(change))

describe('findPriceDifferences', () => {
  test('compares fields of the header, with numbers as text', () => {
    expect(findDifferences(() => ({ desc: 'B', uat_charge: '12.50', min_named_user: 11 }))).toEqual([
      { field: 'desc', before: 'A', after: 'B' },
      { field: 'uat_charge', before: '20.00', after: '12.50' },
      { field: 'min_named_user', before: '10', after: '11' },
    ])
  })

  test('compares ranges by their users, and reports an added or removed range completely (fault 35a)', () => {
    const shortenedDifferences = findDifferences(({ concurrentUser }) => ({
      concurrentUser: concurrentUser
        .slice(0, 2)
        .map((range, index) => (index === 1 ? { ...range, hkd: '1.00' } : range)),
    }))
    expect(shortenedDifferences.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['concurrentUser.11-50.hkd', '1000.00', '1.00'],
      ['concurrentUser.51-999999.hkd', '800.00', null],
      ['concurrentUser.51-999999.usd', '102.80', null],
      ['concurrentUser.51-999999.rmb', '720.00', null],
    ])
  })

  test('compares ranges after a limit was moved and a range was inserted (fault 35a)', () => {
    const [first, second, third] = baseList.concurrentUser
    if (!first || !second || !third) throw new Error('the list has three ranges')
    const movedDifferences = findDifferences(() => ({
      concurrentUser: [{ ...first, to: 12 }, { ...second, from: 13 }, third],
    }))
    expect(movedDifferences.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['concurrentUser.1-10.to', '10', '12'],
      ['concurrentUser.11-50.from', '11', '13'],
    ])
    const insertedRange = { ...second, from: 6, to: 10, hkd: '1100.00', usd: '140.00', rmb: '1000.00' }
    const dividedDifferences = findDifferences(() => ({
      concurrentUser: [{ ...first, to: 5 }, insertedRange, second, third],
    }))
    expect(dividedDifferences.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['concurrentUser.1-10.to', '10', '5'],
      ['concurrentUser.6-10.hkd', null, '1100.00'],
      ['concurrentUser.6-10.usd', null, '140.00'],
      ['concurrentUser.6-10.rmb', null, '1000.00'],
    ])
  })

  test('compares modules by code: changed prices, added and removed modules', () => {
    const moduleDifferences = findDifferences(({ module }) => ({
      module: [
        ...module
          .filter(({ code }) => code !== 'doc')
          .map((module) => (module.code === 'fin' ? { ...module, usd: '1.00' } : module)),
        { code: 'pos', hkd: '1.00', usd: '2.00', rmb: '3.00' },
      ],
    }))
    expect(moduleDifferences.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['module.fin.usd', '2310.00', '1.00'],
      ['module.doc.hkd', '2000.00', null],
      ['module.doc.usd', '255.00', null],
      ['module.doc.rmb', '1800.00', null],
      ['module.pos.hkd', null, '1.00'],
      ['module.pos.usd', null, '2.00'],
      ['module.pos.rmb', null, '3.00'],
    ])
  })

  test('reports a changed order of modules once', () => {
    expect(findDifferences(({ module }) => ({ module: module.toReversed() }))).toEqual([
      { field: 'module', before: 'core, fin, scm, hr, doc', after: 'doc, hr, scm, fin, core' },
    ])
  })

  test('reports a module that occurs twice', () => {
    const repeatedDifferences = findDifferences(({ module }) => ({ module: [...module, ...module.slice(0, 1)] }))
    expect(repeatedDifferences.map(({ field }) => field)).toEqual([
      'module.core#2.hkd',
      'module.core#2.usd',
      'module.core#2.rmb',
    ])
  })

  test('compares the backup block, and a block that is missing', () => {
    expect(findDifferences(() => ({ pdbPrice: { ...backup, pdb2s3_traffic: '60.00' } }))).toEqual([
      { field: 'pdbPrice.pdb2s3_traffic', before: '50.00', after: '60.00' },
    ])
    expect(findDifferences(() => ({ pdbPrice: null }))).toHaveLength(Object.keys(backup).length)
  })

  test('compares the confirmation only if both lists have it', () => {
    const [unconfirmedList, confirmedList] = [
      { ...baseList, confirmed: false },
      { ...baseList, confirmed: true },
    ]
    expect(findPriceDifferences(unconfirmedList, confirmedList)).toEqual([
      { field: 'confirmed', before: 'false', after: 'true' },
    ])
    expect(findPriceDifferences(baseList, confirmedList)).toEqual([])
  })
})

const codes = ['core', 'fin', 'scm', 'hr', 'doc', 'pos']
const listArbitrary = fc
  .tuple(randomContent(codes), randomHeader)
  .map(([content, header]) => ({ ...content, ...header }))
const withoutIds = ({ concurrentUser, namedUser, module, ...others }: ComparedPriceList) => {
  const removeIds = (rows: readonly object[]) => rows.map((row) => ({ ...row, id: 0, module_id: 0 }))
  return {
    ...others,
    concurrentUser: removeIds(concurrentUser),
    namedUser: removeIds(namedUser),
    module: removeIds(module),
  }
}

describe('findPriceDifferences of random lists', () => {
  test('returns no difference if and only if the lists are equal', () => {
    fc.assert(
      fc.property(listArbitrary, listArbitrary, (firstList, secondList) => {
        expect(findPriceDifferences(firstList, structuredClone(firstList))).toEqual([])
        const isSame = JSON.stringify(withoutIds(firstList)) === JSON.stringify(withoutIds(secondList))
        expect(findPriceDifferences(firstList, secondList).length === 0).toBe(isSame)
      }),
      { numRuns: 300 },
    )
  })

  /** Two random lists nearly always differ in many fields. So this test changes a single field of one list. */
  test('returns a change of any single field, and the reverse change in the other direction', () => {
    const listPaths = (value: unknown, path: string[] = []): string[][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, child]) =>
            /^(module_)?id$/.test(name) ? [] : listPaths(child, [...path, name]),
          )
        : [path]
    fc.assert(
      fc.property(listArbitrary, fc.nat(), (firstList, listIndex) => {
        const paths = listPaths(firstList)
        const path = paths[listIndex % paths.length] ?? []
        const secondList = structuredClone(firstList)
        const last = path.at(-1) ?? ''
        const holder = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>((parentValue, name) => parentValue[name] as never, secondList as never)
        const previousValue = holder[last]
        holder[last] =
          typeof previousValue === 'number'
            ? previousValue + 1
            : typeof previousValue === 'string'
              ? `${previousValue}x`
              : backup
        expect(findPriceDifferences(firstList, secondList)).not.toEqual([])
        // In the other direction, the name of a range whose limit was changed is different.
        const withoutUsers = (field: string) => field.replace(/User\.[^.]+/, 'User')
        const forwardDifferences = findPriceDifferences(firstList, secondList).map(({ field, before, after }) => [
          withoutUsers(field),
          after,
          before,
        ])
        const backwardDifferences = findPriceDifferences(secondList, firstList).map(({ field, before, after }) => [
          withoutUsers(field),
          before,
          after,
        ])
        expect(backwardDifferences.toSorted()).toEqual(forwardDifferences.toSorted())
      }),
      { numRuns: 300 },
    )
  })
})

/** A price list tried on contracts: what becomes of each, and what all of them come to. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  emptyRehearsal,
  histogramStep,
  histogramSteps,
  rehearsalLimits,
  rehearse,
  type Rehearsed,
  renewalOf,
} from '#domain/fees/rehearsal.ts'
import { currencies, readAmount, writeAmount } from '#domain/money.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const of = (id: number, fields: Partial<Rehearsed> = {}): Rehearsed => ({
  id,
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core', 'fin'],
  uat: 0,
  now: 4_200_000n,
  ...fields,
})
const rehearsed = (contracts: readonly Rehearsed[], list = lists.B) => {
  const figures = emptyRehearsal()
  for (const contract of contracts) rehearse(figures, list, contract, 'floor')
  return figures
}

describe('the steps of the histogram', () => {
  test('chain from below to above, each once, with what is the same apart', () => {
    expect(histogramSteps.map(({ from, to }) => [from, to])).toEqual([
      [null, -50],
      [-50, -20],
      [-20, -10],
      [-10, -5],
      [-5, -1],
      [-1, 0],
      [0, 0],
      [0, 1],
      [1, 5],
      [5, 10],
      [10, 20],
      [20, 50],
      [50, null],
    ])
  })

  // Of 1,000,000.00, a cent is a millionth of a percent: each limit from both sides, and on it.
  const now = 100_000_000n
  const at = (percent: number, cents = 0) => now + (now / 100n) * BigInt(percent) + BigInt(cents)
  test.each([
    [-50, -1, [null, -50]],
    [-50, 0, [-50, -20]],
    [-20, -1, [-50, -20]],
    [-20, 0, [-20, -10]],
    [-10, -1, [-20, -10]],
    [-10, 0, [-10, -5]],
    [-5, -1, [-10, -5]],
    [-5, 0, [-5, -1]],
    [-1, -1, [-5, -1]],
    [-1, 0, [-1, 0]],
    [0, -1, [-1, 0]],
    [0, 0, [0, 0]],
    [0, 1, [0, 1]],
    [1, -1, [0, 1]],
    [1, 0, [1, 5]],
    [5, -1, [1, 5]],
    [5, 0, [5, 10]],
    [10, -1, [5, 10]],
    [10, 0, [10, 20]],
    [20, -1, [10, 20]],
    [20, 0, [20, 50]],
    [50, -1, [20, 50]],
    [50, 0, [50, null]],
    [-100, 0, [null, -50]],
    [5000, 0, [50, null]],
  ])('%i percent and %i cents', (percent, cents, [from, to]) => {
    expect(histogramSteps[histogramStep(now, at(percent, cents))]).toEqual({ from, to })
  })

  test('of what cost nothing: the same, or more than any percent', () => {
    expect(histogramSteps[histogramStep(0n, 0n)]).toEqual({ from: 0, to: 0 })
    expect(histogramSteps[histogramStep(0n, 1n)]).toEqual({ from: 50, to: null })
  })

  test('hold each change once, by exact comparison', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n })
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 0n, max: 10n ** 15n }), (was, then) => {
        const holding = histogramSteps.flatMap(({ from, to }, step) => {
          const by = (then - was) * 100n
          if (from === 0 && to === 0) return by === 0n ? [step] : []
          const isIn = (from === null || by >= BigInt(from) * was) && (to === null || by < BigInt(to) * was)
          return isIn && by !== 0n ? [step] : []
        })
        expect(holding).toEqual([histogramStep(was, then)])
      }),
    )
  })
})

describe('the renewal of a contract', () => {
  test('costs what the engine asks for the same (G01 under list B)', () => {
    expect(renewalOf(lists.B, of(1), 'floor')).toEqual({ kind: 'priced', then: 4_410_000n })
  })

  test('with UAT goes by the reading of the server (D1)', () => {
    const contract = of(1, { uat: 1 })
    const [floor, ceiling] = (['floor', 'ceiling'] as const).map((reading) => renewalOf(lists.B, contract, reading))
    expect(floor).toEqual({ kind: 'priced', then: 4_961_250n })
    expect(ceiling).toEqual({ kind: 'priced', then: 4_410_000n })
  })

  test.each([
    [500, 'priced'],
    [501, 'failing'],
  ])('of %i users, where the last range ends with 500, is %s (D3)', (users, kind) => {
    const renewal = renewalOf(lists.B, of(1, { users }), 'floor')
    expect(renewal.kind).toBe(kind)
    if (renewal.kind === 'failing') expect(renewal).toEqual({ kind, why: 'usersOutOfRange', missing: [] })
  })

  test('with modules that are not on the list names them (D16)', () => {
    const renewal = renewalOf(lists.B, of(1, { modules: ['core', 'pos', 'crm'] }), 'floor')
    expect(renewal).toEqual({ kind: 'failing', why: 'modulesNotListed', missing: ['pos', 'crm'] })
  })
})

describe('the figures', () => {
  test('of no contract are nothing, in every currency', () => {
    const { contracts, currencies: all, largest, failing, failures } = rehearsed([])
    expect([contracts, largest, failing, failures]).toEqual([0, [], 0, []])
    expect(all.map(({ currency, contracts: count, now, then }) => [currency, count, now, then])).toEqual(
      currencies.map((currency) => [currency, 0, '0.00', '0.00']),
    )
    expect(all.flatMap(({ histogram }) => histogram)).toEqual(Array(39).fill(0))
  })

  test('never mix two currencies, and leave failing ones out of sums', () => {
    const {
      contracts,
      currencies: all,
      failing,
      failures,
    } = rehearsed([
      of(1),
      of(2, { now: 4_410_000n }),
      of(3, { now: 5_000_000n }),
      of(4, { currency: 'USD', now: 100n }),
      of(5, { users: 501 }),
    ])
    const [hkd, usd, rmb] = all
    expect([contracts, failing, failures]).toEqual([5, 1, [5]])
    expect(hkd).toMatchObject({ contracts: 3, now: '136100.00', then: '132300.00', more: 1, less: 1, same: 1 })
    expect(usd).toMatchObject({ contracts: 1, now: '1.00', more: 1, less: 0, same: 0 })
    expect(rmb).toMatchObject({ contracts: 0, now: '0.00', then: '0.00' })
  })

  test('sums stay exact beyond what a number can hold', () => {
    const huge = { ...lists.B, min_fee_hkd: '9999999999999.99' }
    const [hkd] = rehearsed(
      [1, 2, 3].map((id) => of(id, { now: 999_999_999_999_999n })),
      huge,
    ).currencies
    expect(hkd).toMatchObject({ now: '29999999999999.97', then: '29999999999999.97', same: 3 })
  })

  test('the largest are so by percent, up or down, and of equal ones the lowest id first', () => {
    const contracts = [
      of(1, { now: 4_000_000n }),
      of(2, { now: 8_820_000n }),
      of(3, { now: 2_940_000n }),
      of(4, { now: 8_820_000n }),
      of(5, { now: 4_410_000n }),
      of(6, { now: 0n }),
      of(7, { now: 0n }),
    ]
    // From nothing first, then half as much again and half as much, and nothing that stays the same.
    expect(rehearsed(contracts).largest).toEqual([
      { id: 6, now: '0.00', then: '44100.00' },
      { id: 7, now: '0.00', then: '44100.00' },
      { id: 2, now: '88200.00', then: '44100.00' },
      { id: 3, now: '29400.00', then: '44100.00' },
      { id: 4, now: '88200.00', then: '44100.00' },
      { id: 1, now: '40000.00', then: '44100.00' },
    ])
  })

  test('name twenty changes and two hundred failures at most, and count all', () => {
    const changing = Array.from({ length: 21 }, (_, at) => of(at + 1, { now: BigInt(4_000_000 + at) }))
    const failing = Array.from({ length: 201 }, (_, at) => of(at + 100, { users: 501 }))
    const figures = rehearsed([...changing, ...failing])
    expect(figures.largest.map(({ id }) => id)).toEqual(changing.slice(0, 20).map(({ id }) => id))
    expect([figures.failing, figures.failures.length]).toEqual([201, rehearsalLimits.failures])
    expect([figures.failures[0], figures.failures.at(-1)]).toEqual([100, 299])
  })

  test('add up, whatever the contracts, and are the same when they were written down in between', () => {
    const contract = fc.record({
      currency: fc.constantFrom(...currencies),
      user_mode: fc.constantFrom('CONCURRENT' as const, 'NAMED' as const),
      users: fc.integer({ min: 1, max: 700 }),
      modules: fc.subarray(['core', 'fin', 'scm', 'hr', 'doc', 'pos']),
      uat: fc.constantFrom(0 as const, 1 as const),
      now: fc.bigInt({ min: 0n, max: 20_000_000n }),
    })
    fc.assert(
      fc.property(fc.array(contract, { maxLength: 60 }), (all) => {
        const contracts = all.map((one, at) => of(at + 1, one))
        const figures = rehearsed(contracts)
        const priced = contracts.flatMap((one) => {
          const renewal = renewalOf(lists.B, one, 'floor')
          return renewal.kind === 'priced' ? [{ ...one, then: renewal.then }] : []
        })
        expect(figures.contracts).toBe(all.length)
        expect(figures.failing).toBe(all.length - priced.length)
        for (const own of figures.currencies) {
          const mine = priced.filter(({ currency }) => currency === own.currency)
          expect(own.contracts).toBe(mine.length)
          expect(own.more + own.less + own.same).toBe(mine.length)
          expect(own.histogram.reduce((sum, count) => sum + count, 0)).toBe(mine.length)
          expect(readAmount(own.now)).toBe(mine.reduce((sum, { now }) => sum + now, 0n))
          expect(readAmount(own.then)).toBe(mine.reduce((sum, { then }) => sum + then, 0n))
        }
        // Sorted anew, from all of them, by rational comparison.
        const moved = priced.filter(({ now, then }) => now !== then)
        const size = ({ now, then }: (typeof moved)[number]) => (then > now ? then - now : now - then)
        const expected = moved.toSorted((a, b) => {
          const by = size(b) * a.now - size(a) * b.now
          return by === 0n ? a.id - b.id : by > 0n ? 1 : -1
        })
        expect(figures.largest).toEqual(
          expected.slice(0, 20).map(({ id, now, then }) => ({ id, now: writeAmount(now), then: writeAmount(then) })),
        )
        let resumed = emptyRehearsal()
        for (const one of contracts) {
          rehearse(resumed, lists.B, one, 'floor')
          resumed = JSON.parse(JSON.stringify(resumed))
        }
        expect(resumed).toEqual(figures)
      }),
      { numRuns: 100 },
    )
  })
})

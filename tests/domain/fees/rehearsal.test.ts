/** Tests the rehearsal of a price list on contracts: the result for each contract, and the totals. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createEmptyRehearsal,
  findHistogramStep,
  histogramSteps,
  rehearsalLimits,
  addToRehearsal,
  type RehearsedContract,
  quoteRenewal,
} from '#domain/fees/rehearsal.ts'
import { currencies, readAmount, writeAmount } from '#domain/money.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const buildContract = (id: number, fields: Partial<RehearsedContract> = {}): RehearsedContract => ({
  id,
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core', 'fin'],
  uat: 0,
  currentFee: 4_200_000n,
  ...fields,
})
const rehearse = (contracts: readonly RehearsedContract[], list = lists.B) => {
  const figures = createEmptyRehearsal()
  for (const contract of contracts) addToRehearsal(figures, list, contract, 'floor')
  return figures
}

describe('the steps of the histogram', () => {
  test('follow each other from the lowest to the highest, with a step for unchanged fees', () => {
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

  // A cent is a millionth of a percent of 1,000,000.00. So each limit is tested from both sides and exactly.
  const currentFee = 100_000_000n
  const buildNewFee = (percent: number, cents = 0) => currentFee + (currentFee / 100n) * BigInt(percent) + BigInt(cents)
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
  ])('include a change of %i percent and %i cents in the right step', (percent, cents, [from, to]) => {
    expect(histogramSteps[findHistogramStep(currentFee, buildNewFee(percent, cents))]).toEqual({ from, to })
  })

  test('count a rise from 0 as more than any percentage', () => {
    expect(histogramSteps[findHistogramStep(0n, 0n)]).toEqual({ from: 0, to: 0 })
    expect(histogramSteps[findHistogramStep(0n, 1n)]).toEqual({ from: 50, to: null })
  })

  test('contain each change exactly once', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n })
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 0n, max: 10n ** 15n }), (oldFee, newFee) => {
        const matchingSteps = histogramSteps.flatMap(({ from, to }, step) => {
          const scaledDifference = (newFee - oldFee) * 100n
          if (from === 0 && to === 0) return scaledDifference === 0n ? [step] : []
          const isIn =
            (from === null || scaledDifference >= BigInt(from) * oldFee) &&
            (to === null || scaledDifference < BigInt(to) * oldFee)
          return isIn && scaledDifference !== 0n ? [step] : []
        })
        expect(matchingSteps).toEqual([findHistogramStep(oldFee, newFee)])
      }),
    )
  })
})

describe('quoteRenewal', () => {
  test('returns the fee that the engine quotes for the same terms (G01 under list B)', () => {
    expect(quoteRenewal(lists.B, buildContract(1), 'floor')).toEqual({ kind: 'priced', newFee: 4_410_000n })
  })

  test('uses the UAT reading that the server passes (D1)', () => {
    const contract = buildContract(1, { uat: 1 })
    const [floor, ceiling] = (['floor', 'ceiling'] as const).map((reading) => quoteRenewal(lists.B, contract, reading))
    expect(floor).toEqual({ kind: 'priced', newFee: 4_961_250n })
    expect(ceiling).toEqual({ kind: 'priced', newFee: 4_410_000n })
  })

  test.each([
    [500, 'priced'],
    [501, 'failing'],
  ])('returns for %i users, if the last range ends with 500: %s (D3)', (users, kind) => {
    const renewal = quoteRenewal(lists.B, buildContract(1, { users }), 'floor')
    expect(renewal.kind).toBe(kind)
    if (renewal.kind === 'failing') expect(renewal).toEqual({ kind, reason: 'usersOutOfRange', missing: [] })
  })

  test('names the modules that are not on the list (D16)', () => {
    const renewal = quoteRenewal(lists.B, buildContract(1, { modules: ['core', 'pos', 'crm'] }), 'floor')
    expect(renewal).toEqual({ kind: 'failing', reason: 'modulesNotListed', missing: ['pos', 'crm'] })
  })
})

describe('the figures of a rehearsal', () => {
  test('are zero in every currency without contracts', () => {
    const { contracts, currencies: all, largest, failing, failures } = rehearse([])
    expect([contracts, largest, failing, failures]).toEqual([0, [], 0, []])
    expect(all.map(({ currency, contracts: count, now, then }) => [currency, count, now, then])).toEqual(
      currencies.map((currency) => [currency, 0, '0.00', '0.00']),
    )
    expect(all.flatMap(({ histogram }) => histogram)).toEqual(Array(39).fill(0))
  })

  test('never mix two currencies, and leave failing contracts out of sums', () => {
    const {
      contracts,
      currencies: all,
      failing,
      failures,
    } = rehearse([
      buildContract(1),
      buildContract(2, { currentFee: 4_410_000n }),
      buildContract(3, { currentFee: 5_000_000n }),
      buildContract(4, { currency: 'USD', currentFee: 100n }),
      buildContract(5, { users: 501 }),
    ])
    const [hkd, usd, rmb] = all
    expect([contracts, failing, failures]).toEqual([5, 1, [5]])
    expect(hkd).toMatchObject({ contracts: 3, now: '136100.00', then: '132300.00', more: 1, less: 1, same: 1 })
    expect(usd).toMatchObject({ contracts: 1, now: '1.00', more: 1, less: 0, same: 0 })
    expect(rmb).toMatchObject({ contracts: 0, now: '0.00', then: '0.00' })
  })

  test('stay exact above the largest safe number', () => {
    const hugeList = { ...lists.B, min_fee_hkd: '9999999999999.99' }
    const [hkd] = rehearse(
      [1, 2, 3].map((id) => buildContract(id, { currentFee: 999_999_999_999_999n })),
      hugeList,
    ).currencies
    expect(hkd).toMatchObject({ now: '29999999999999.97', then: '29999999999999.97', same: 3 })
  })

  test('list the largest changes by percentage, up or down, and equal changes by the lowest id', () => {
    const contracts = [
      buildContract(1, { currentFee: 4_000_000n }),
      buildContract(2, { currentFee: 8_820_000n }),
      buildContract(3, { currentFee: 2_940_000n }),
      buildContract(4, { currentFee: 8_820_000n }),
      buildContract(5, { currentFee: 4_410_000n }),
      buildContract(6, { currentFee: 0n }),
      buildContract(7, { currentFee: 0n }),
    ]
    // Changes from 0 are first, then those of plus or minus 50 percent. Unchanged fees are not listed.
    expect(rehearse(contracts).largest).toEqual([
      { id: 6, now: '0.00', then: '44100.00' },
      { id: 7, now: '0.00', then: '44100.00' },
      { id: 2, now: '88200.00', then: '44100.00' },
      { id: 3, now: '29400.00', then: '44100.00' },
      { id: 4, now: '88200.00', then: '44100.00' },
      { id: 1, now: '40000.00', then: '44100.00' },
    ])
  })

  test('list at most 20 changes and 200 failures, and count all', () => {
    const changedContracts = Array.from({ length: 21 }, (_, index) =>
      buildContract(index + 1, { currentFee: BigInt(4_000_000 + index) }),
    )
    const failingContracts = Array.from({ length: 201 }, (_, index) => buildContract(index + 100, { users: 501 }))
    const figures = rehearse([...changedContracts, ...failingContracts])
    expect(figures.largest.map(({ id }) => id)).toEqual(changedContracts.slice(0, 20).map(({ id }) => id))
    expect([figures.failing, figures.failures.length]).toEqual([201, rehearsalLimits.failures])
    expect([figures.failures[0], figures.failures.at(-1)]).toEqual([100, 299])
  })

  test('add up for any contracts, and stay the same if the intermediate state is stored and read again', () => {
    const contract = fc.record({
      currency: fc.constantFrom(...currencies),
      user_mode: fc.constantFrom('CONCURRENT' as const, 'NAMED' as const),
      users: fc.integer({ min: 1, max: 700 }),
      modules: fc.subarray(['core', 'fin', 'scm', 'hr', 'doc', 'pos']),
      uat: fc.constantFrom(0 as const, 1 as const),
      currentFee: fc.bigInt({ min: 0n, max: 20_000_000n }),
    })
    fc.assert(
      fc.property(fc.array(contract, { maxLength: 60 }), (all) => {
        const contracts = all.map((input, index) => buildContract(index + 1, input))
        const figures = rehearse(contracts)
        const pricedContracts = contracts.flatMap((contract) => {
          const renewal = quoteRenewal(lists.B, contract, 'floor')
          return renewal.kind === 'priced' ? [{ ...contract, then: renewal.newFee }] : []
        })
        expect(figures.contracts).toBe(all.length)
        expect(figures.failing).toBe(all.length - pricedContracts.length)
        for (const currencyFigures of figures.currencies) {
          const ownContracts = pricedContracts.filter(({ currency }) => currency === currencyFigures.currency)
          expect(currencyFigures.contracts).toBe(ownContracts.length)
          expect(currencyFigures.more + currencyFigures.less + currencyFigures.same).toBe(ownContracts.length)
          expect(currencyFigures.histogram.reduce((sum, count) => sum + count, 0)).toBe(ownContracts.length)
          expect(readAmount(currencyFigures.now)).toBe(ownContracts.reduce((sum, { currentFee: now }) => sum + now, 0n))
          expect(readAmount(currencyFigures.then)).toBe(ownContracts.reduce((sum, { then }) => sum + then, 0n))
        }
        // Sorts all contracts again, by an exact comparison of fractions, to get the expected order.
        const changedContracts = pricedContracts.filter(({ currentFee: now, then }) => now !== then)
        const getDifference = ({ currentFee: now, then }: (typeof changedContracts)[number]) =>
          then > now ? then - now : now - then
        const expected = changedContracts.toSorted((a, b) => {
          const difference = getDifference(b) * a.currentFee - getDifference(a) * b.currentFee
          return difference === 0n ? a.id - b.id : difference > 0n ? 1 : -1
        })
        expect(figures.largest).toEqual(
          expected
            .slice(0, 20)
            .map(({ id, currentFee: now, then }) => ({ id, now: writeAmount(now), then: writeAmount(then) })),
        )
        let resumed = createEmptyRehearsal()
        for (const contract of contracts) {
          addToRehearsal(resumed, lists.B, contract, 'floor')
          resumed = JSON.parse(JSON.stringify(resumed))
        }
        expect(resumed).toEqual(figures)
      }),
      { numRuns: 100 },
    )
  })
})

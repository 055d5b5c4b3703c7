/** Compares the fee engine with a second calculation that shares no code with it. `npm run campaign -- fees` runs more cases. */
import { describe, expect, test } from 'vitest'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'
import { compareCase, describeDifference } from '#tests/domain/fees/compare-with-oracle.ts'
import { type GoldenCase as Golden, cases as goldens, lists } from '#tests/domain/fees/goldens.ts'
import { toInstant } from '#tests/domain/fees/calendar.ts'
import { type FeeCase, type ContractCase, runOracle, type OracleStep } from '#tests/domain/fees/oracle.ts'
import { drawCase } from '#tests/domain/fees/oracle-cases.ts'

const noon = 43_200_000

function buildStep(goldenCase: Golden): OracleStep {
  const { mode, users, modules, uat, years, kind } = goldenCase
  const step = { list: 0, isPaid: true, choice: { user_mode: mode, users, modules, uat } }
  if (kind === 'create') {
    const start = goldenCase.period_start ?? '2026-03-01'
    return { ...step, ask: 'create', time: toInstant(start, noon), start, years }
  }
  const time = toInstant(goldenCase.today, noon)
  return kind === 'extend' ? { ...step, ask: 'extend', time, years } : { ...step, ask: 'change', time }
}

const buildPaidSegments = ({ kind, segments, current_period_end: end }: Golden): ContractCase['paid'] => {
  if (kind === 'extend') return [{ start: '2025-03-01', end, annual: '42000.00' }]
  return kind === 'change' ? segments : []
}

function buildCase(goldenCase: Golden): FeeCase {
  const { kind, annual: fee, discount, currency } = goldenCase
  if (kind === 'traffic') return { kind, measured: goldenCase.pdb_traffic, free: goldenCase.free, price: goldenCase.up }
  if (kind === 'backup') {
    const bounds =
      goldenCase.id === 'G34'
        ? { period: 1, unit: 'year' as const }
        : { period: goldenCase.months, unit: 'month' as const }
    const contractEnd = goldenCase.id === 'G34' ? '2027-03-01' : '2029-03-01'
    return {
      kind,
      time: toInstant('2026-09-14', noon),
      currentEnd: null,
      anchor: null,
      contractEnd,
      ...bounds,
      fee,
      discount,
    }
  }
  const [list, paidSegments, steps] = [lists[goldenCase.price], buildPaidSegments(goldenCase), [buildStep(goldenCase)]]
  return { kind: 'contract', currency, uatBound: 'floor', lists: [list], paid: paidSegments, steps }
}

/** Renames the fields of an example to those of a result, and drops fields that describe the calculation and not its result. */
const getAgreedFields = ({ annualFee, uat_raw: share, error, ...golden }: Golden, names: string[]) => {
  if (error) return { refused: [error] }
  const renamedFields = {
    ...golden,
    ...(annualFee ? { annual: annualFee } : {}),
    ...(share ? { uat_share: share } : {}),
  }
  return Object.fromEntries(Object.entries(renamedFields).filter(([name]) => names.includes(name)))
}

describe('the fee oracle', () => {
  test.each(goldens.map((goldenCase) => [goldenCase.id, goldenCase] as const))(
    'agrees with the example %s',
    (_, goldenCase) => {
      const [result = {}] = runOracle(buildCase(goldenCase)).results
      const agreedFields = getAgreedFields(goldenCase, Object.keys({ ...result, extra: '' }))
      if (goldenCase.kind === 'traffic') agreedFields.extra = Number(goldenCase.extra).toFixed(2)
      expect(Object.keys(agreedFields).length).toBeGreaterThan(
        { traffic: 1, backup: 2 }[goldenCase.kind as 'backup'] ?? (goldenCase.error ? 0 : 6),
      )
      expect(result).toMatchObject(agreedFields)
    },
  )

  test.each([
    ['G06', '155001.00'],
    ['G07', '28800.00'],
    ['G30', '68512.95'],
  ])('agrees with %s if the UAT bound is a ceiling (D1)', (id, amount) => {
    const golden = goldens.find((goldenCase) => goldenCase.id === id)
    if (!golden) throw new Error('there is no such example')
    const contractCase = { ...(buildCase(golden) as ContractCase), uatBound: 'ceiling' as const }
    expect(runOracle(contractCase).results).toMatchObject([{ amount }])
  })

  test('raises the end of a range that ends before it begins, and drops a range that ends with 0 (D82)', () => {
    const price = { hkd: '1.00', usd: '1.00', rmb: '1.00' }
    const [goldenCase] = goldens as [Golden]
    const contractCase = buildCase({ ...goldenCase, users: 11 }) as ContractCase
    const [list] = contractCase.lists as [ContractCase['lists'][number]]
    const typedRanges = [10, 5, 0].map((to) => ({ from: 1, to, ...price }))
    const withUsers = (users: number): ContractCase => ({
      ...contractCase,
      lists: [{ ...list, concurrentUser: typedRanges }],
      steps: contractCase.steps.map((step) => ({ ...step, choice: { ...step.choice, users } })),
    })
    expect(runOracle(withUsers(11)).results).toMatchObject([{ tiers: ['10x1.00', '1x1.00'] }])
    expect(runOracle(withUsers(12)).results).toEqual([{ refused: ['USERS_OUT_OF_RANGE'] }])
  })
})

/** Names of all special cases in which fees are known to go wrong. At least five random cases must reach each of them. */
const requiredMarks = [
  ...['HKD', 'USD', 'RMB'].map((currency) => `currency: ${currency}`),
  ...['none', 'the first of a range', 'the last of a range', 'more than 100,000'].map((users) => `users: ${users}`),
  ...['floor', 'ceiling', 'none', 'its bound counts', 'its percentage counts', 'of 0 percent'].map(
    (uat) => `UAT: ${uat}`,
  ),
  ...['the least there is', '0.00', 'what it adds up to'].map((fee) => `fee: ${fee}`),
  ...['UAT', 'backup', 'discount', 'traffic'].map((rounding) => `half a cent: ${rounding}`),
  ...[
    'a single day',
    'days',
    'days of several years',
    'days with a 29 February',
    'days that count as whole years',
    'whole years',
  ].map((time) => `time: ${time}`),
  ...['something is due', 'more was paid than it costs', 'costs what was paid'].map((sum) => `change: ${sum}`),
  ...['before the start', 'on the first day', 'on the last day', 'on the day a year begins'].map(
    (day) => `change: ${day}`,
  ),
  ...['change', 'create', 'backup'].flatMap((day) => [`${day}: on 29 February`, `${day}: on the last of a month`]),
  ...['1', '2', 'three and more'].map((count) => `change: of ${count} paid segments`),
  ...['before the end', 'on the end', 'after the end', 'to a 29 February that comes back'].map(
    (day) => `extend: ${day}`,
  ),
  ...['cut at the end of the contract', 'whole, by month', 'whole, by year', 'ends where its run does'].map(
    (period) => `backup: ${period}`,
  ),
  ...['0', '100', 'between'].map((discount) => `discount: ${discount}`),
  ...['free', 'to be paid'].map((traffic) => `traffic: ${traffic}`),
  ...['USERS_OUT_OF_RANGE', 'modules not listed', 'expired', 'backup of no contract'].map(
    (reason) => `refused: ${reason}`,
  ),
]

test('4,000 random cases cost what the oracle calculates, and reach every listed special case (F-10, R-39)', () => {
  const random = createRandom(suiteSeed)
  const markCounts = new Map(requiredMarks.map((mark) => [mark, 0]))
  for (let index = 0; index < 4_000; index++) {
    const feeCase = drawCase(random)
    const { marks, difference } = compareCase(feeCase)
    if (difference) throw new Error(`case ${index}, SEED=${suiteSeed}: ${describeDifference(feeCase)}`)
    for (const mark of marks) markCounts.set(mark, (markCounts.get(mark) ?? 0) + 1)
  }
  expect(requiredMarks.filter((mark) => (markCounts.get(mark) ?? 0) < 5)).toEqual([])
})

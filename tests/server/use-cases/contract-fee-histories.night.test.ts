/**
 * Compares random purchases, changes and extensions of contracts through the server's calls with the fee oracle. The fee of an order
 * depends on all earlier payments, which the server stores and the oracle recalculates (D11, D12).
 */
import { describe, expect, test } from 'vitest'
import type { ContractTerms } from '#domain/fees/annual.ts'
import { toBusinessDay, addDays, toInstant, toDayNumber } from '#tests/domain/fees/calendar.ts'
import { lists } from '#tests/domain/fees/goldens.ts'
import { type ContractCase, runOracle, type OracleStep } from '#tests/domain/fees/oracle.ts'
import { drawBetween, type Random, createRandom, pick, suiteSeed } from '#tests/support/runner/random.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { buyOrder, type OrderRow, payOrder, readOrder, setUpShop, orderInput } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const dayMs = 86_400_000
const moments = [0, 1, 28_800_000, 43_200_000, dayMs - 1]
const moduleSets = [['core'], ['core', 'fin'], ['core', 'fin', 'scm'], ['core', 'hr'], ['core', 'fin', 'hr']]
const getListIndex = (day: string) => (day < '2027-01-01' ? 0 : 1)

const pickTerms = (random: Random): ContractTerms => ({
  user_mode: pick(random, ['CONCURRENT', 'NAMED'] as const),
  users: pick(random, [10, 11, 20, 21, 50, 51, 100, 101, drawBetween(random, 10, 200)]),
  modules: pick(random, moduleSets),
  uat: pick(random, [0, 1] as const),
})

const comparedFields = ['annual', 'contract_amount', 'residual_amount', 'amount', 'period_end'] as const

/** Returns a day for the next step: any remaining day of the contract, one of its last days, or a day after it. */
function pickDay(random: Random, since: string, endDate: string): string {
  const days = toDayNumber(endDate) - toDayNumber(since)
  if (days <= 0) return addDays(since, drawBetween(random, 0, 30))
  const daysInside = Array.from({ length: 5 }, () => drawBetween(random, 0, days - 1))
  return addDays(since, pick(random, [...daysInside, 0, days - 1, days, days + drawBetween(random, 1, 60)]))
}

describe('the fees of contracts over a random history', () => {
  const fixture = setUpShop('embedded')

  async function runContractLife(random: Random): Promise<void> {
    const currency = pick(random, ['HKD', 'USD', 'RMB'] as const)
    const steps: OracleStep[] = []
    const contractCase: ContractCase = {
      kind: 'contract',
      currency,
      uatBound: 'floor',
      lists: [lists.A, lists.B],
      paid: [],
      steps,
    }
    const session = {} as { buyer: SignedIn }
    /** Amount that the last quoted step would discard. The order of that step must confirm the amount. */
    let discardedAmount = ''
    let signedInAt = 0
    /** Signs in again at most every five minutes, to stay below the rate limit. */
    async function moveClock(time: number) {
      fixture.server.clock.now = time
      if (Math.abs(time - signedInAt) < 5 * 60_000) return
      session.buyer = await fixture.server.signIn('order@alpha')
      signedInAt = time
    }
    /** Requests a quote for the step and compares it with the oracle. Returns the expected amount. */
    async function askPrice(step: OracleStep, payload: object): Promise<string> {
      steps.push(step)
      await moveClock(step.time)
      const expected = runOracle(contractCase).results.at(-1) as Record<string, string>
      const expectedAmounts = Object.fromEntries(comparedFields.map((name) => [name, expected[name]]))
      const response = await session.buyer.send({ method: 'POST', url: '/api/calculate', payload })
      expect(response.json(), JSON.stringify(contractCase.steps)).toMatchObject(expectedAmounts)
      discardedAmount = response.json().discarded_amount
      return expectedAmounts.amount ?? ''
    }
    const buildStep = (time: number, choice: ContractTerms) => ({
      time,
      list: getListIndex(toBusinessDay(time)),
      choice,
      isPaid: true,
    })
    const pickInstant = (day: string) => toInstant(day, pick(random, moments))

    const day = addDays('2026-03-02', drawBetween(random, 0, 700))
    const [start, years] = [addDays(day, drawBetween(random, 0, 30)), drawBetween(random, 1, 3)]
    let currentTerms = pickTerms(random)
    const orderDraft = { ...orderInput, ...currentTerms, currency, period: years, period_start: start }
    await askPrice({ ...buildStep(pickInstant(day), currentTerms), ask: 'create', start, years }, orderDraft)
    let orderInForce = await buyOrder(fixture.server, session.buyer, orderDraft)

    for (let remainingSteps = 6; remainingSteps > 0; remainingSteps--) {
      const { now } = fixture.server.clock
      const periodEnd = orderInForce.period_end as string
      const stepTime = Math.max(now, pickInstant(pickDay(random, toBusinessDay(now), periodEnd)))
      const isOver = toBusinessDay(stepTime) >= periodEnd
      const isChange = !isOver && drawBetween(random, 1, 3) > 1
      // An active contract is extended unchanged, and a change without differences is refused (D12, D16).
      const otherTerms = {
        ...pickTerms(random),
        users: currentTerms.users + pick(random, currentTerms.users > 20 ? [-9, -1, 1, 10] : [1, 10]),
      }
      const chosenTerms = isChange || isOver ? otherTerms : currentTerms
      const nextStep: OracleStep = isChange
        ? { ...buildStep(stepTime, chosenTerms), ask: 'change' }
        : { ...buildStep(stepTime, chosenTerms), ask: 'extend', years: drawBetween(random, 1, 2) }
      const period = nextStep.ask === 'extend' ? { period: nextStep.years } : {}
      const payload = { type: nextStep.ask, contract_id: orderInForce.contract_id, ...chosenTerms, ...period }
      const amount = await askPrice(nextStep, payload)
      const confirmedPayload = {
        ...payload,
        ...(nextStep.ask === 'change' ? { confirm_discard: discardedAmount } : {}),
      }
      const orderResponse = await session.buyer.send({
        method: 'POST',
        url: '/api/contract',
        payload: confirmedPayload,
      })
      const order: OrderRow = orderResponse.json()
      expect(order.amount).toBe(amount)
      const isCharged = amount !== '0.00' && order['waived'] === null
      nextStep.isPaid = !isCharged || drawBetween(random, 1, 4) > 1
      if (!nextStep.isPaid) {
        const deleteResponse = await session.buyer.send({ method: 'DELETE', url: `/api/contract/${order.id}` })
        expect(deleteResponse.statusCode).toBe(204)
        continue
      }
      currentTerms = chosenTerms
      // A later payment does not change the agreed terms (D12). A change is paid before its contract ends (decision 62).
      const paidAt = stepTime + drawBetween(random, 0, 6) * dayMs
      await moveClock(isChange && toBusinessDay(paidAt) >= periodEnd ? stepTime : paidAt)
      if (isCharged) await payOrder(fixture.server, order, { currency })
      orderInForce = await readOrder(session.buyer, order.id)
      expect(orderInForce.contract_id).toBeGreaterThan(0)
    }
  }

  const seeds = Array.from({ length: 10 }, (_, index) => suiteSeed + index)
  test.each(limitByDay(seeds, 4))('match the reference calculation (seed %i)', (seed) =>
    runContractLife(createRandom(seed)),
  )
})

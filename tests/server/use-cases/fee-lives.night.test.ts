/**
 * Contracts bought, changed and extended through the server's calls, by chance, held to the fee oracle: what an order asks
 * depends on all that was paid before, which the server keeps and the oracle remembers (D11, D12).
 */
import { describe, expect, test } from 'vitest'
import type { Choice } from '#domain/fees/annual.ts'
import { dayOf, daysAfter, instantIn, placeOf } from '#tests/domain/fees/calendar.ts'
import { lists } from '#tests/domain/fees/goldens.ts'
import { type ContractCase, oracleOf, type Step } from '#tests/domain/fees/oracle.ts'
import { between, type Chance, chanceOf, pick, suiteSeed } from '#tests/support/runner/chance.ts'
import { byDay } from '#tests/support/runner/nightly.ts'
import { bought, type Ordered, paid, readOrder, setUpShop, wish } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const dayMs = 86_400_000
const moments = [0, 1, 28_800_000, 43_200_000, dayMs - 1]
const moduleSets = [['core'], ['core', 'fin'], ['core', 'fin', 'scm'], ['core', 'hr'], ['core', 'fin', 'hr']]
const listOn = (day: string) => (day < '2027-01-01' ? 0 : 1)

const chosen = (chance: Chance): Choice => ({
  user_mode: pick(chance, ['CONCURRENT', 'NAMED'] as const),
  users: pick(chance, [10, 11, 20, 21, 50, 51, 100, 101, between(chance, 10, 200)]),
  modules: pick(chance, moduleSets),
  uat: pick(chance, [0, 1] as const),
})

const compared = ['annual', 'contract_amount', 'residual_amount', 'amount', 'period_end'] as const

/** A day on which the contract is asked about: any that is left, its last ones, and some after it. */
function dayFrom(chance: Chance, since: string, end: string): string {
  const days = placeOf(end) - placeOf(since)
  if (days <= 0) return daysAfter(since, between(chance, 0, 30))
  const inside = Array.from({ length: 5 }, () => between(chance, 0, days - 1))
  return daysAfter(since, pick(chance, [...inside, 0, days - 1, days, days + between(chance, 1, 60)]))
}

describe('what contracts cost in the course of their lives', () => {
  const the = setUpShop('embedded')

  async function live(chance: Chance): Promise<void> {
    const currency = pick(chance, ['HKD', 'USD', 'RMB'] as const)
    const steps: Step[] = []
    const one: ContractCase = {
      kind: 'contract',
      currency,
      uatBound: 'floor',
      lists: [lists.A, lists.B],
      paid: [],
      steps,
    }
    const session = {} as { buyer: SignedIn }
    /** What the last step would discard: its order has to name the sum. */
    let discarded = ''
    let signedIn = 0
    /** Not more often than a person would. */
    async function goTo(at: number) {
      the.server.clock.now = at
      if (Math.abs(at - signedIn) < 5 * 60_000) return
      session.buyer = await the.server.signIn('order@alpha')
      signedIn = at
    }
    /** It takes the step by asking what it costs, and is told what the oracle says. */
    async function ask(step: Step, payload: object): Promise<string> {
      steps.push(step)
      await goTo(step.at)
      const ought = oracleOf(one).answers.at(-1) as Record<string, string>
      const figures = Object.fromEntries(compared.map((name) => [name, ought[name]]))
      const answer = await session.buyer.send({ method: 'POST', url: '/api/calculate', payload })
      expect(answer.json(), JSON.stringify(one.steps)).toMatchObject(figures)
      discarded = answer.json().discarded_amount
      return figures.amount ?? ''
    }
    const stepAt = (at: number, choice: Choice) => ({ at, list: listOn(dayOf(at)), choice, isPaid: true })
    const instantOn = (day: string) => instantIn(day, pick(chance, moments))

    const day = daysAfter('2026-03-02', between(chance, 0, 700))
    const [start, years] = [daysAfter(day, between(chance, 0, 30)), between(chance, 1, 3)]
    let held = chosen(chance)
    const asked = { ...wish, ...held, currency, period: years, period_start: start }
    await ask({ ...stepAt(instantOn(day), held), ask: 'create', start, years }, asked)
    let inForce = await bought(the.server, session.buyer, asked)

    for (let left = 6; left > 0; left--) {
      const { now } = the.server.clock
      const end = inForce.period_end as string
      const at = Math.max(now, instantOn(dayFrom(chance, dayOf(now), end)))
      const isOver = dayOf(at) >= end
      const isChange = !isOver && between(chance, 1, 3) > 1
      // What runs is extended as it is, and a change that changes nothing is none (D12, D16).
      const other = { ...chosen(chance), users: held.users + pick(chance, held.users > 20 ? [-9, -1, 1, 10] : [1, 10]) }
      const choice = isChange || isOver ? other : held
      const last: Step = isChange
        ? { ...stepAt(at, choice), ask: 'change' }
        : { ...stepAt(at, choice), ask: 'extend', years: between(chance, 1, 2) }
      const period = last.ask === 'extend' ? { period: last.years } : {}
      const payload = { type: last.ask, contract_id: inForce.contract_id, ...choice, ...period }
      const amount = await ask(last, payload)
      const confirmed = { ...payload, ...(last.ask === 'change' ? { confirm_discard: discarded } : {}) }
      const made = await session.buyer.send({ method: 'POST', url: '/api/contract', payload: confirmed })
      const ordered: Ordered = made.json()
      expect(ordered.amount).toBe(amount)
      const isCharged = amount !== '0.00' && ordered['waived'] === null
      last.isPaid = !isCharged || between(chance, 1, 4) > 1
      if (!last.isPaid) {
        const gone = await session.buyer.send({ method: 'DELETE', url: `/api/contract/${ordered.id}` })
        expect(gone.statusCode).toBe(204)
        continue
      }
      held = choice
      // Paying later changes nothing of what was agreed (D12). A change is paid before its contract ends (decision 62).
      const payAt = at + between(chance, 0, 6) * dayMs
      await goTo(isChange && dayOf(payAt) >= end ? at : payAt)
      if (isCharged) await paid(the.server, ordered, { currency })
      inForce = await readOrder(session.buyer, ordered.id)
      expect(inForce.contract_id).toBeGreaterThan(0)
    }
  }

  const lives = Array.from({ length: 10 }, (_, at) => suiteSeed + at)
  test.each(byDay(lives, 4))('is what the oracle says (seed %i)', (seed) => live(chanceOf(seed)))
})

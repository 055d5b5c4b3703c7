/** Works out what a price list would do to the contracts of today, a page of them a step: each is one short transaction that reads. */
import {
  emptyRehearsal,
  histogramSteps,
  type Rehearsal,
  rehearse,
  type Rehearsed,
  renewalOf,
} from '#domain/fees/rehearsal.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { rehearsePriceList as endpoint } from '#contract/prices.ts'
import { contractsWithNames, countLiveContracts, liveContractsAfter } from '#server/db/orders/live-contracts.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { JobKind, Work } from '#server/jobs/job-kind.ts'
import type { RehearseInput } from '#server/use-cases/catalogue/rehearse-prices.ts'

type Output = OutputOf<typeof endpoint>

/** Where it is: everything it needs to go on after a kill. */
export interface Point {
  /** The last contract that was looked at. */
  after: number
  /** As counted at the start. What is sold meanwhile is not looked at, so it comes to an end. */
  count: number
  last: number
  figures: Rehearsal
}

const asSystem = { role: 'portal_system' } as const

/** `most`: contracts a step. */
export const rehearsePrices = (most = 500): JobKind<RehearseInput, Point, Output> => ({
  // It reads and nothing else, so a step may be done twice.
  resumes: true,
  async step(work) {
    const point = work.point ?? (await begin(work))
    const { app, input } = work
    const span = { after: point.after, last: point.last, most }
    const page = await inTransaction(app, asSystem, (db) => liveContractsAfter(db, input, span), 'reading')
    const figures = structuredClone(point.figures)
    for (const contract of page) rehearse(figures, input.list, asRehearsed(contract), app.config.uatBound)
    const last = page.at(-1)
    if (!last || page.length < most) return { kind: 'done', output: await told(work, figures) }
    return {
      kind: 'on',
      point: { ...point, after: last.id, figures },
      percent: Math.min(99, Math.floor((figures.contracts / Math.max(point.count, 1)) * 100)),
      info: { name: '', message: `${figures.contracts} / ${point.count}` },
    }
  },
})

async function begin({ app, input }: Work<RehearseInput, Point>): Promise<Point> {
  const counted = await inTransaction(app, asSystem, (db) => countLiveContracts(db, input), 'reading')
  return { after: 0, ...counted, figures: emptyRehearsal() }
}

type Row = Awaited<ReturnType<typeof liveContractsAfter>>[number]

const asRehearsed = ({ id, currency, user_mode, users, modules, uat, annual, segments }: Row): Rehearsed => ({
  id,
  currency,
  user_mode,
  users,
  modules,
  uat,
  // What it was last sold at is what a renewal is set against.
  now: readAmount(segments.at(-1)?.annual ?? annual),
})

/** The figures with the contracts that they name. */
async function told({ app, input }: Work<RehearseInput, Point>, figures: Rehearsal): Promise<Output> {
  const ids = [...figures.largest.map(({ id }) => id), ...figures.failures]
  const rows = await inTransaction(app, asSystem, (db) => contractsWithNames(db, ids), 'reading')
  const byId = new Map(rows.map((row) => [row.id, row]))
  const identity = (id: number) => {
    const row = byId.get(id)
    if (!row) throw new Error(`contract ${id} is gone`)
    const { code, name, company, price_id } = row
    const contract = asRehearsed(row)
    const { currency, user_mode, users, uat, modules, now } = contract
    const shown = input.named ? { code, name, company } : { code: null, name: null, company: null }
    const same = { currency, user_mode, users, modules: [...modules], uat, price_id, now: writeAmount(now) }
    return { contract, said: { contract_id: id, ...shown, ...same } }
  }
  return {
    contracts: figures.contracts,
    currencies: figures.currencies.map(({ histogram, ...own }) => ({
      ...own,
      histogram: histogramSteps.map((step, at) => ({ ...step, contracts: histogram[at] ?? 0 })),
    })),
    largest: figures.largest.map(({ id, then }) => ({ ...identity(id).said, then })),
    failing: figures.failing,
    failures: figures.failures.flatMap((id) => {
      const { contract, said } = identity(id)
      const renewal = renewalOf(input.list, contract, app.config.uatBound)
      return renewal.kind === 'failing' ? [{ ...said, why: renewal.why, missing: renewal.missing }] : []
    }),
  }
}

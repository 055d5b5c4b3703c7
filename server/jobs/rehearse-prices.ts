/** Calculates the effect of a price list on the current contracts. Each step reads one page of contracts. */
import {
  createEmptyRehearsal,
  histogramSteps,
  type RehearsalFigures,
  addToRehearsal,
  type RehearsedContract,
  quoteRenewal,
} from '#domain/fees/rehearsal.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { rehearsePriceList as endpoint } from '#contract/prices.ts'
import { listContractsWithNames, countLiveContracts, listLiveContracts } from '#server/db/orders/live-contracts.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { JobKind, JobContext } from '#server/jobs/job-kind.ts'
import type { RehearseInput } from '#server/use-cases/catalogue/rehearse-prices.ts'

type RehearsalOutput = OutputOf<typeof endpoint>

export interface RehearsalPoint {
  after: number
  /** Number of contracts, counted at the start. Contracts that are sold later are not checked, so the job is sure to end. */
  count: number
  last: number
  figures: RehearsalFigures
}

export const createRehearsalJob = (
  maxContractsPerStep = 500,
): JobKind<RehearseInput, RehearsalPoint, RehearsalOutput> => ({
  // A step only reads, so it may be repeated.
  isResumable: true,
  async step(context) {
    const point = context.point ?? (await createStartPoint(context))
    const { app, input } = context
    const range = { afterId: point.after, lastId: point.last, limit: maxContractsPerStep }
    const contracts = await readAsSystem(app, (db) => listLiveContracts(db, input, range))
    const figures = structuredClone(point.figures)
    for (const contract of contracts)
      addToRehearsal(figures, input.list, toRehearsedContract(contract), app.config.uatBound)
    const lastContract = contracts.at(-1)
    if (!lastContract || contracts.length < maxContractsPerStep)
      return { kind: 'done', output: await buildOutput(context, figures) }
    return {
      kind: 'on',
      point: { ...point, after: lastContract.id, figures },
      percent: Math.min(99, Math.floor((figures.contracts / Math.max(point.count, 1)) * 100)),
      info: { name: '', message: `${figures.contracts} / ${point.count}` },
    }
  },
})

async function createStartPoint({ app, input }: JobContext<RehearseInput, RehearsalPoint>): Promise<RehearsalPoint> {
  const counts = await readAsSystem(app, (db) => countLiveContracts(db, input))
  return { after: 0, ...counts, figures: createEmptyRehearsal() }
}

type LiveContractRow = Awaited<ReturnType<typeof listLiveContracts>>[number]

const toRehearsedContract = ({
  id,
  currency,
  user_mode,
  users,
  modules,
  uat,
  annual,
  segments,
}: LiveContractRow): RehearsedContract => ({
  id,
  currency,
  user_mode,
  users,
  modules,
  uat,
  // A renewal is compared with the price of the last sale.
  currentFee: readAmount(segments.at(-1)?.annual ?? annual),
})

async function buildOutput(
  { app, input }: JobContext<RehearseInput, RehearsalPoint>,
  figures: RehearsalFigures,
): Promise<RehearsalOutput> {
  const ids = [...figures.largest.map(({ id }) => id), ...figures.failures]
  const rows = await readAsSystem(app, (db) => listContractsWithNames(db, ids))
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  const describeContract = (id: number) => {
    const row = rowsById.get(id)
    if (!row) throw new Error(`contract ${id} no longer exists`)
    const { code, name, company, price_id } = row
    const contract = toRehearsedContract(row)
    const { currency, user_mode, users, uat, modules, currentFee } = contract
    const names = input.named ? { code, name, company } : { code: null, name: null, company: null }
    const terms = { currency, user_mode, users, modules: [...modules], uat, price_id, now: writeAmount(currentFee) }
    return { contract, output: { contract_id: id, ...names, ...terms } }
  }
  return {
    contracts: figures.contracts,
    currencies: figures.currencies.map(({ histogram, ...totals }) => ({
      ...totals,
      histogram: histogramSteps.map((step, index) => ({ ...step, contracts: histogram[index] ?? 0 })),
    })),
    largest: figures.largest.map(({ id, then }) => ({ ...describeContract(id).output, then })),
    failing: figures.failing,
    failures: figures.failures.flatMap((id) => {
      const { contract, output } = describeContract(id)
      const renewal = quoteRenewal(input.list, contract, app.config.uatBound)
      return renewal.kind === 'failing' ? [{ ...output, why: renewal.reason, missing: renewal.missing }] : []
    }),
  }
}

/** The walk along the trail's chains of hashes (S-91), a piece a step, so that it is seen to move and can be stopped. */
import type { ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { verifyTrail as endpoint } from '#contract/audit-trail.ts'
import { type Chain, chainsOf, linksAfter } from '#server/db/audit/hash-chains.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { JobKind, Work } from '#server/jobs/job-kind.ts'
import { notFound } from '#server/problem-error.ts'

type Input = ParsedInputOf<typeof endpoint>['body']
type Output = OutputOf<typeof endpoint>

/** Where the walk is: everything it needs to go on after a kill. */
export interface Point {
  /** Still to be walked, the first one begun. */
  chains: Chain[]
  /** The last link that was read of the first chain. */
  link: { id: number; hash: string }
  /** Rows there are, as counted at the start. */
  total: number
  rows: number
  companies: number
  broken: Output['broken']
}

const start = { id: 0, hash: '' }
const maxBroken = 100

/** `most`: links a step. */
export const verifyTrail = (most = 500): JobKind<Input, Point, Output> => ({
  // It reads and nothing else, so a step may be done twice.
  resumes: true,
  async step(work) {
    const point = work.point ?? (await begin(work))
    const [chain] = point.chains
    if (!chain) {
      const { companies, rows, broken } = point
      return { kind: 'done', output: { companies, rows, broken } }
    }
    const next = await walk(work, point, chain, most)
    return {
      kind: 'on',
      point: next,
      // The trail goes on growing while it is walked: a hundred is said by the end alone.
      percent: Math.min(99, Math.floor((next.rows / Math.max(next.total, 1)) * 100)),
      info: { name: chain.companyCode ?? '', message: `${next.rows} / ${next.total}` },
    }
  },
})

const asSystem = { role: 'portal_system' } as const

async function begin({ app, input: { companyId } }: Work<Input, Point>): Promise<Point> {
  const chains = await inTransaction(app, asSystem, async (db) => {
    if (companyId !== null && !(await companyById(db, companyId))) throw notFound()
    return chainsOf(db, companyId)
  })
  const total = chains.reduce((sum, { rows }) => sum + rows, 0)
  return { chains, link: start, total, rows: 0, companies: 0, broken: [] }
}

async function walk({ app }: Work<Input, Point>, point: Point, chain: Chain, most: number): Promise<Point> {
  const { companyId, companyCode } = chain
  const links = await inTransaction(app, asSystem, (db) => linksAfter(db, { companyId, ...point.link, most }))
  const broken = links
    .filter((link) => link.broken)
    .map(({ id }) => ({ company_id: companyId, company_code: companyCode, id }))
  const last = links.at(-1)
  const isOver = links.length < most
  return {
    ...point,
    chains: isOver ? point.chains.slice(1) : point.chains,
    link: isOver || !last ? start : { id: last.id, hash: last.hash },
    rows: point.rows + links.length,
    companies: point.companies + (isOver ? 1 : 0),
    broken: [...point.broken, ...broken].slice(0, maxBroken),
  }
}

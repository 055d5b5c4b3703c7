/** Answers of the audit trail from what the device was asked to keep of it, in the server's own shape. */
import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { headers } from '#contract/headers.ts'
import { fromPairs } from '#contract/http-mapping.ts'
import { dateIn } from '#domain/time.ts'
import { answeredDays, readKeptActivity, readKeptPage } from '#local/audit-trail/read-kept.ts'
import type { KeptTrail } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { fromDevice } from '#request/reads/list.ts'
import type { Ports } from '#request/ports.ts'
import { type Asked, whoNow } from '#request/reads/read-context.ts'
import type { ResponseData } from '#request/transport/transport.ts'

/** What is kept of all the days that are asked for, else the last answer to the same question, else what is kept of some of them. */
export async function answerOfTrail(
  ports: Ports,
  asked: Asked,
  last: () => Promise<ResponseData | null>,
): Promise<ResponseData | null> {
  const { name } = asked.endpoint
  if (name !== listTrail.name && name !== trailActivity.name) return await last()
  return (
    (await answerFromKept(ports, asked, { whole: true })) ??
    (await last()) ??
    (await answerFromKept(ports, asked, { whole: false }))
  )
}

/**
 * Null: no such answer. `whole`: only where every day that is asked for is kept; otherwise of the days that are, which the header
 * `keptDays` then names.
 */
async function answerFromKept(ports: Ports, asked: Asked, { whole }: { whole: boolean }): Promise<ResponseData | null> {
  const { guard } = await whoNow(ports)
  const search = new URLSearchParams(asked.letter.path.split('?')[1] ?? '')
  const companyId = Number(search.get('companyId') ?? guard?.subject.companyId)
  const kept = await guard?.db.keptTrails.get(companyId)
  if (!guard || !kept) return null
  const days = answeredDays(kept, search.get('dateFrom') ?? undefined, search.get('dateTo') ?? undefined)
  if (days === null || (days === 'all') !== whole) return null
  const body = await bodyOf(ports, guard.db, { asked, search, kept })
  if (!body) return null
  const answer = fromDevice(body, kept.asOf ?? 0)
  if (days !== 'all') answer.headers.set(headers.keptDays, JSON.stringify(days))
  return answer
}

async function bodyOf(
  ports: Ports,
  db: UserDatabase,
  { asked, search, kept }: { asked: Asked; search: URLSearchParams; kept: KeptTrail },
): Promise<object | null> {
  const { endpoint } = asked
  if (!endpoint.query) return null
  const { values, repeated } = fromPairs(endpoint.query, search)
  if (repeated.length > 0) return null
  if (endpoint.name === trailActivity.name) {
    const read = trailActivity.query?.safeParse(values)
    if (!read?.success) return null
    const { companyId: _company, ...filters } = read.data
    return await readKeptActivity(db, kept.companyId, filters, dateIn(kept.zone, ports.clock()))
  }
  const read = listTrail.query?.safeParse(values)
  if (!read?.success) return null
  const { results, page, after, sortField: _field, sortOrder = 'desc', companyId: _company, ...filters } = read.data
  const order = sortOrder.startsWith('asc') ? 'asc' : 'desc'
  return await readKeptPage(db, kept.companyId, { filters, order, results, page, after })
}

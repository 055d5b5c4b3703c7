/** Brings a whole list to the device: everything at first, then what has changed since. */
import type { ListSpec } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { storeChanges } from '#local/lists/response-store.ts'
import type { ServerRow } from '#local/lists/row-store.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { isGood, jsonOf } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { type Asked, atOnce, type Guard, kept, leftOutOf, type Page } from '#request/reads/read-context.ts'
import { subjectOf } from '#request/session/subject.ts'

/** A list of more rows than this, some 6 MB on their way, is kept page by page as it is read, not whole. */
const fillAtMost = 20_000

/** Brings the whole list here once a page of it was read, and up to date whenever its change number moved. */
export async function fill(
  ports: Ports,
  asked: Asked,
  list: ListSpec,
  { guard, query, page }: { guard: Guard; query: ListQuery; page: Page },
): Promise<void> {
  const known = await guard.db.syncPoints.get(`${list.table}|${query.scope ?? ''}`)
  if (page.change === '' || page.count > fillAtMost) return
  if (known && !known.gaps && String(known.upto) === page.change) return
  const since = known ? String(known.upto) : ''
  const answer = await sendSignedIn(ports, { ...asked.letter, path: sincePath(asked, list, since) })
  if (!answer) return
  // Older than what the server remembers as deleted: begin again (protocol 34).
  if (answer.status === 410) await guard.db.syncPoints.delete(known?.id ?? '')
  const body = isGood(answer) ? (jsonOf(answer) as Partial<Changes> | undefined) : undefined
  const asOf = Number(answer.headers.get(headers.asOf) ?? Number.NaN)
  if (!body?.changed || !body.gone || typeof body.upto !== 'number' || !Number.isFinite(asOf)) return
  if (answer.headers.get(headers.subject) !== subjectOf(guard.subject)) return
  const { changed, gone, upto } = body
  const all = !known
  const leftOut = leftOutOf(answer)
  const { db, generation } = guard
  if (!all || changed.length <= atOnce)
    return void (await kept(ports, () =>
      storeChanges(db, list, query.scope, { changed, gone, upto, asOf, ...leftOut }, { all, generation }),
    ))
  const { inPieces, storeWhole } = await import('#local/lists/bulk-load.ts')
  const pieces = inPieces(changed)
  await kept(ports, () => storeWhole(db, list, query.scope, { pieces, upto, asOf, ...leftOut }, generation))
}

type Changes = { changed: ServerRow[]; gone: number[]; upto: number }

function sincePath({ letter }: Asked, list: ListSpec, since: string): string {
  const [pathname = '', search = ''] = letter.path.split('?')
  const pairs = [...new URLSearchParams(search)].filter(([name]) => name === list.scope?.param)
  return `${pathname}?${new URLSearchParams([...pairs, ['since', since]])}`
}

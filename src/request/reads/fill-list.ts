import type { ListSpec } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { type ChangesResponse, storeChanges } from '#local/lists/response-store.ts'
import type { PageResponse, ServerRow } from '#local/lists/row-store.ts'
import { toListId } from '#local/storage/list-ids.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { isSuccess, parseJson, readAsOf, type ResponseData } from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import {
  type EndpointCall,
  maxRowsPerTransaction,
  type SessionGuard,
  tryStore,
  readLeftOutRows,
} from '#request/reads/read-context.ts'
import { formatSubject } from '#request/session/subject.ts'

/** A list with more rows than this (about 6 MB of transfer) is not stored completely, but page by page as it is read. */
const maxFillRows = 20_000

/** Stores the complete list after one page of it was read. If the list is stored already, fetches what has changed since. */
export async function fillList(
  ports: PipelinePorts,
  endpointCall: EndpointCall,
  list: ListSpec,
  { guard, query, page }: { guard: SessionGuard; query: ListQuery; page: PageResponse },
): Promise<void> {
  const syncPoint = await guard.db.syncPoints.get(toListId(list.table, query.scope))
  if (page.change === '' || page.count > maxFillRows) return
  if (syncPoint && !syncPoint.gaps && String(syncPoint.changeNumber) === page.change) return
  const since = syncPoint ? String(syncPoint.changeNumber) : ''
  const response = await sendSignedIn(ports, { ...endpointCall.request, path: sincePath(endpointCall, list, since) })
  if (!response) return
  // 410: the stored list is older than the server's record of deleted rows, so it is fetched from the beginning (protocol 34).
  if (response.status === 410 && syncPoint) await guard.db.syncPoints.delete(syncPoint.id)
  const changes = readChanges(response)
  if (!changes || response.headers.get(headers.subject) !== formatSubject(guard.subject)) return
  const isFirstFill = !syncPoint
  const { db, generation } = guard
  if (!isFirstFill || changes.changed.length <= maxRowsPerTransaction)
    return void (await tryStore(ports, () =>
      storeChanges(db, list, query.scope, changes, { isComplete: isFirstFill, generation }),
    ))
  const { splitIntoPieces, storeCompleteList } = await import('#local/lists/store-complete-list.ts')
  const completeList = { ...changes, pieces: splitIntoPieces(changes.changed) }
  await tryStore(ports, () => storeCompleteList(db, list, query.scope, completeList, generation))
}

/** Returns null if the response is not a list of changes from the portal. */
function readChanges(response: ResponseData): ChangesResponse | null {
  if (!isSuccess(response)) return null
  const body = parseJson(response) as { changed?: ServerRow[]; gone?: number[]; upto?: unknown } | undefined
  const asOf = readAsOf(response)
  if (!body?.changed || !body.gone || typeof body.upto !== 'number' || !Number.isFinite(asOf)) return null
  const { changed, gone: deletedIds, upto: changeNumber } = body
  return { changed, deletedIds, changeNumber, asOf, ...readLeftOutRows(response) }
}

function sincePath({ request }: EndpointCall, list: ListSpec, since: string): string {
  const [pathname = '', search = ''] = request.path.split('?')
  const pairs = [...new URLSearchParams(search)].filter(([name]) => name === list.scope?.param)
  return `${pathname}?${new URLSearchParams([...pairs, ['since', since]])}`
}

/** Rows that an answer lacks because they do not fit their schema: the operator learns which, the client how many. */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { Caller } from '#domain/access.ts'
import type { AppContext } from '#server/context/context.ts'
import type { LeftOutRow } from '#server/context/response-schema.ts'

const maxLoggedRows = 20
/** A header has its length. */
const maxRowIds = 200

interface ReportedRead {
  handler: { endpoint: Endpoint }
  caller: Caller
  requestId: string
}

/** The headers that say so; none where all rows are there. */
export function reportLeftOutRows(
  app: AppContext,
  { handler, caller, requestId }: ReportedRead,
  leftOutRows: readonly LeftOutRow[],
): Record<string, string> {
  if (leftOutRows.length === 0) return {}
  app.log.error(
    {
      event: 'invalid_rows_omitted',
      endpoint: handler.endpoint.name,
      requestId,
      tenant: caller.companyId,
      leftOut: leftOutRows.length,
      rows: leftOutRows.slice(0, maxLoggedRows),
    },
    'omitted rows that do not match the response schema',
  )
  const ids = leftOutRows.flatMap(({ id }) => (typeof id === 'number' ? [id] : []))
  return {
    [headers.rowsLeftOut]: String(leftOutRows.length),
    [headers.leftOutIds]: ids.slice(0, maxRowIds).join(','),
  }
}

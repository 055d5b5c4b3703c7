/** Reports rows that do not match their schema: the log gets their ids and fields, and response headers get their number and ids. */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { Caller } from '#domain/access.ts'
import type { AppContext } from '#server/context/context.ts'
import type { LeftOutRow } from '#server/context/response-schema.ts'

const maxLoggedRows = 20
/** Maximum number of ids in the header. */
const maxRowIds = 200

interface ReportedRead {
  handler: { endpoint: Endpoint }
  caller: Caller
  requestId: string
}

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

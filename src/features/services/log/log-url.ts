/** What the address of a log says (C-01): the span, what is looked for, whether it is followed. */
import { isMinute } from '#domain/period.ts'
import type { LogRange } from '#features/services/log/log-range.ts'

export interface LogView {
  /** Null: the last hour, as of when the page came. */
  range: LogRange | null
  searchText: string
  follow: boolean
}

const searchLimit = 100
const minute = (text: string | null) => (text !== null && isMinute(text) ? text : null)

export function readLogView(query: URLSearchParams): LogView {
  const from = minute(query.get('from'))
  return {
    range: from === null ? null : { from, to: minute(query.get('to')) ?? '' },
    searchText: (query.get('searchText') ?? '').slice(0, searchLimit),
    follow: query.get('follow') === '1',
  }
}

export function writeLogView({ range, searchText, follow }: LogView): URLSearchParams {
  const query = new URLSearchParams()
  if (range) query.set('from', range.from)
  if (range && range.to !== '') query.set('to', range.to)
  if (searchText.trim() !== '') query.set('searchText', searchText)
  if (follow) query.set('follow', '1')
  return query
}

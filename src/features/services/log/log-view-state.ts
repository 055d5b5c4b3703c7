/** The view of a log in the address (C-01): range, search text, and whether to follow. */
import { isMinute } from '#domain/plain-dates.ts'
import type { ServiceLogRange } from '#features/services/log/log-range.ts'

export interface LogViewState {
  /** Null means the last hour before the page was opened. */
  range: ServiceLogRange | null
  searchText: string
  shouldFollow: boolean
}

const maxSearchLength = 100
const parseMinute = (text: string | null) => (text !== null && isMinute(text) ? text : null)

export function readLogView(query: URLSearchParams): LogViewState {
  const from = parseMinute(query.get('from'))
  return {
    range: from === null ? null : { from, to: parseMinute(query.get('to')) ?? '' },
    searchText: (query.get('searchText') ?? '').slice(0, maxSearchLength),
    shouldFollow: query.get('follow') === '1',
  }
}

export function writeLogView({ range, searchText, shouldFollow }: LogViewState): URLSearchParams {
  const query = new URLSearchParams()
  if (range) query.set('from', range.from)
  if (range && range.to !== '') query.set('to', range.to)
  if (searchText.trim() !== '') query.set('searchText', searchText)
  if (shouldFollow) query.set('follow', '1')
  return query
}

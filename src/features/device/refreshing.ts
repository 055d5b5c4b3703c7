/** Reads kept lists anew. Rows come through the page's live query; what is learned here is only how the asking went. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { localProblem } from '#contract/problem.ts'
import type { KeptList } from '#local/room.ts'
import type { Extra, RootState } from '#state/store.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

/** As many rows as one page may have: what is more the corridor brings by itself, where it keeps the whole list. */
const results = 50

/** The first thing that went wrong; null: all were read just now. */
export const refresh =
  (lists: readonly KeptList[]): Thunk<Problem | null> =>
  async (_dispatch, _getState, { api }) => {
    // Every list's call is in here, and no page carries them all.
    const { endpoints } = await import('#contract/index.ts')
    const asks = lists.flatMap(({ table, scope }) => {
      const endpoint = endpoints.find(({ fills }) => fills?.table === table)
      const asked = endpoint && askedFor(endpoint, scope)
      return endpoint && asked ? [{ endpoint, asked }] : []
    })
    const answers = await Promise.all(asks.map(({ endpoint, asked }) => api.ask(endpoint, asked as never)))
    for (const answer of answers) {
      if (answer.kind === 'problem') return answer.problem
      if (answer.kind === 'kept') return localProblem('OFFLINE')
    }
    return null
  }

/** Null where it is not known whose list that is: kept by a build that did not note it. */
export function askedFor({ path, fills }: Endpoint, scope: number | null) {
  const query = { results, page: 1 }
  const named = fills?.scope
  if (!named) return { query }
  if (scope === null) return null
  const own = { [named.param]: scope }
  return path.includes(`:${named.param}`) ? { params: own, query } : { query: { ...query, ...own } }
}

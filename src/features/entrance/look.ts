/** Asking where a service is. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import type { Extra, RootState } from '#state/store.ts'
import { type Found, isWeb } from '#features/entrance/known.ts'

export type Looked =
  | { is: 'found'; service: Found }
  /** The server knows no such service. */
  | { is: 'missing' }
  /** Nobody could be asked, or the answer was none. */
  | { is: 'failed' }

/** The row of this call brings the schemas along: fetched when it is asked. */
const calls = () => import('#contract/visitors.ts')

export const look =
  (code: string): ThunkAction<Promise<Looked>, RootState, Extra, UnknownAction> =>
  async (_dispatch, _getState, { api }) => {
    const endpoint = await calls().then(
      ({ serviceUrl }) => serviceUrl,
      () => null,
    )
    if (!endpoint) return { is: 'failed' }
    const result = await api.ask(endpoint, { query: { code } })
    if (result.kind === 'problem') return { is: result.problem.code === 'NOT_FOUND' ? 'missing' : 'failed' }
    const said = result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
    if (!said || !isWeb(said.url) || !isWeb(said.admin_url)) return { is: 'failed' }
    const at = result.kind === 'kept' ? result.asOf : Date.now()
    return { is: 'found', service: { code, url: said.url, adminUrl: said.admin_url, at } }
  }

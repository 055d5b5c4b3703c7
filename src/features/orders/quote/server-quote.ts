/** The server's own figure. */
import type { InputOf } from '#contract/endpoint.ts'
import { calculate } from '#contract/orders.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ServerQuote } from '#features/orders/quote/local-quote.ts'

export type QuoteBody = InputOf<typeof calculate>['body']

/** Online only: a refusal leaves a line in the trail, so it is asked when a step is left, not at each keystroke. */
export const fetchServerQuote =
  (body: QuoteBody): AppThunk<CallResult<ServerQuote>> =>
  async (_dispatch, _state, { api }) =>
    api.call(calculate, { body })

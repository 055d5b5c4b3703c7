/** The server's own figure. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import type { AskedOf } from '#contract/endpoint.ts'
import { calculate } from '#contract/orders.ts'
import type { Result } from '#request/result.ts'
import type { Extra, RootState } from '#state/store.ts'
import type { Told } from '#features/orders/quoting.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export type Asked = AskedOf<typeof calculate>['body']

/** Online only: a refusal leaves a line in the trail, so it is asked when a step is left, not at each keystroke. */
export const askQuote =
  (body: Asked): Thunk<Result<Told>> =>
  async (_dispatch, _state, { api }) =>
    api.ask(calculate, { body })

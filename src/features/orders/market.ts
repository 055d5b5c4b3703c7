/** What prices are worked out from beside the price list, and the server's own figure. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { getSettings } from '#contract/accounts.ts'
import type { AskedOf } from '#contract/endpoint.ts'
import { listModuleChoices } from '#contract/modules.ts'
import { calculate } from '#contract/orders.ts'
import type { ClientType } from '#domain/access.ts'
import type { Result } from '#request/result.ts'
import type { Extra, RootState } from '#state/store.ts'
import type { Told } from '#features/orders/quoting.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

/** Brings modules and settings to the device; who shows them reads them there. */
export const askMarket =
  (type: ClientType): Thunk<void> =>
  async (_dispatch, _state, { api }) => {
    await Promise.all([api.ask(listModuleChoices, { query: { type } }), api.ask(getSettings, {})])
  }

export type Asked = AskedOf<typeof calculate>['body']

/** Online only: a refusal leaves a line in the trail, so it is asked when a step is left, not at each keystroke. */
export const askQuote =
  (body: Asked): Thunk<Result<Told>> =>
  async (_dispatch, _state, { api }) =>
    api.ask(calculate, { body })

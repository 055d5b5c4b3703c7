/** What the panel asks about paying. Nothing of it is kept, and none of it ever waits (D89). */
import type { Caller } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { type PaymentType, paymentTypes, whyNotPaidBy } from '#domain/payments.ts'
import type { getSettings } from '#contract/accounts.ts'
import type { Id, OutputOf } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import { checkPayment, pay } from '#contract/payments.ts'
import { readDraft } from '#local/drafts/form-drafts.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type Draft, draftName } from '#features/orders/wizard/wizard-draft.ts'

/** What this installation takes. */
export type Ways = OutputOf<typeof getSettings>['payment']

/** In the order in which they are offered: the one that most people take first (M81 to M83). */
export const waysFor = ({ types }: Pick<Ways, 'types'>, currency: Currency, caller: Caller): PaymentType[] =>
  paymentTypes.filter((type) => types.includes(type) && whyNotPaidBy(type, currency, caller) === null)

/** An order has a number by the time that it can be paid. */
const path = (id: Id) => ({ contract: Number(id) })

export const sendPayment =
  (id: Id, type: PaymentType, token: string | null): AppThunk<Result<OutputOf<typeof pay>>> =>
  async (_dispatch, _getState, { api }) =>
    api.call(pay, {
      params: path(id),
      body: { type, contractType: 'CONTRACT', ...(token === null ? {} : { token }) },
    })

/** Whether the wizard's draft on this device waits for it to be paid: then the wizard has its last step still to show. */
export async function isOfDraft({ id, client_type: type }: Pick<OrderRow, 'id' | 'client_type'>): Promise<boolean> {
  const { step, ordered } = ((await readDraft(draftName(type)))?.value ?? {}) as Partial<Draft>
  return step === 2 && ordered === id
}

export type Outcome = OutputOf<typeof checkPayment>['status']

/** Null: it could not be asked. */
export const askOutcome =
  (id: Id): AppThunk<Outcome | null> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(checkPayment, { params: path(id), body: { contractType: 'CONTRACT' } })
    return result.kind === 'fresh' ? result.output.status : null
  }

/** What the panel asks about paying. Nothing of it is kept, and none of it ever waits (D89). */
import type { Caller, ClientType } from '#domain/access.ts'
import type { DueMatter } from '#domain/dues.ts'
import type { Currency } from '#domain/money.ts'
import { nameIn } from '#domain/text.ts'
import { type PaymentType, paymentTypes, whyNotPaidBy } from '#domain/payments.ts'
import type { getSettings } from '#contract/accounts.ts'
import type { Id, InputOf, OutputOf } from '#contract/endpoint.ts'
import { checkPayment, pay } from '#contract/payments.ts'
import { readDrafts } from '#local/drafts/form-drafts.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type Draft, draftName } from '#features/orders/draft/wizard-draft.ts'

/** What this installation takes. */
export type Ways = OutputOf<typeof getSettings>['payment']

/** In the order in which they are offered: the one that most people take first (M81 to M83). */
export const waysFor = ({ types }: Pick<Ways, 'types'>, currency: Currency, caller: Caller): PaymentType[] =>
  paymentTypes.filter((type) => types.includes(type) && whyNotPaidBy(type, currency, caller) === null)

/** What is paid is called by its kind and its number (D66); it has one by the time that it can be paid. */
export interface Paid {
  id: Id
  /** An order of a contract where nothing is said. */
  contractType?: InputOf<typeof pay>['body']['contractType']
}

/** What is paid, how much that is and until when. */
export interface Payable extends Paid {
  currency: Currency
  amount?: string | null
  pay_amount: string | null
  /** The last second in which it can be paid; null: not known. */
  due: string | null
  /** What it is, where the page around does not say it. */
  matter?: DueMatter
}

const path = ({ id }: Paid) => ({ contract: Number(id) })

export const sendPayment =
  (paid: Paid, type: PaymentType, token: string | null): AppThunk<Result<OutputOf<typeof pay>>> =>
  async (_dispatch, _getState, { api }) => {
    const body = { type, contractType: paid.contractType ?? 'CONTRACT', ...(token === null ? {} : { token }) } as const
    const recordName = nameIn(paid)
    return await api.call(pay, { params: path(paid), body }, recordName === null ? {} : { recordName })
  }

/** Whether the wizard's draft on this device waits for it to be paid: then the wizard has its last step still to show. */
export async function isOfDraft(id: Id, type: ClientType | undefined): Promise<boolean> {
  if (!type) return false
  const { own, earlier } = await readDrafts(draftName(type))
  return [own, ...earlier].some((draft) => {
    const { step, ordered } = (draft?.value ?? {}) as Partial<Draft>
    return step === 2 && ordered === id
  })
}

export type Outcome = OutputOf<typeof checkPayment>['status']

/** Null: it could not be asked. */
export const askOutcome =
  (paid: Paid): AppThunk<Outcome | null> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(checkPayment, {
      params: path(paid),
      body: { contractType: paid.contractType ?? 'CONTRACT' },
    })
    return result.kind === 'fresh' ? result.output.status : null
  }

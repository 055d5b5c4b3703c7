/** Calls of a payment. They are neither stored nor queued (D89). */
import type { Caller, ClientType } from '#domain/access.ts'
import type { DueSubject } from '#domain/dues.ts'
import type { Currency } from '#domain/money.ts'
import { getDisplayName } from '#domain/text.ts'
import { type PaymentType, paymentTypes, getPaymentTypeRefusal } from '#domain/payments.ts'
import type { getSettings } from '#contract/accounts.ts'
import type { RowRef, InputOf, OutputOf } from '#contract/endpoint.ts'
import { checkItems, checkPayment, pay, payItems } from '#contract/payments.ts'
import { readDrafts } from '#local/drafts/form-drafts.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type WizardFormDraft, getDraftName } from '#features/orders/draft/wizard-draft.ts'

/** A gateway, or `credit` if the balance pays all (decision 124). */
export type PaymentMethod = PaymentType | 'credit'

export type PaymentSettings = OutputOf<typeof getSettings>['payment']

/** Returns the methods in the order in which they are offered, the most common one first (M81 to M83). */
export const getPaymentMethods = (
  { types }: Pick<PaymentSettings, 'types'>,
  currency: Currency,
  caller: Caller,
): PaymentType[] =>
  paymentTypes.filter((type) => types.includes(type) && getPaymentTypeRefusal(type, currency, caller) === null)

/** Returns whether this installation has a bank account of the currency, so that it issues pro-forma invoices (decision 124). */
export const canPayByTransfer = ({ transferCurrencies = [] }: PaymentSettings, currency: Currency): boolean =>
  transferCurrencies.includes(currency)

/** The kind and id of the row that is paid (D66). A row that can be paid always has a number. */
export interface PaymentTarget {
  id: RowRef
  contractType?: InputOf<typeof pay>['body']['contractType']
  /** At least two items that are paid with one payment (decision 110). `id` and `contractType` are those of the first. */
  items?: readonly PaidItem[]
}

interface PaidItem {
  id: RowRef
  contractType: InputOf<typeof pay>['body']['contractType']
  /** What is paid, for the dialog. A payer who returns from a gateway knows only the ids. */
  about?: { name: string; subject: DueSubject; currency: Currency; amount: string }
}

export interface PayableOrder extends PaymentTarget {
  /** The company whose credit is used. Omitted: that of the user. */
  company_id?: number
  currency: Currency
  amount?: string | null
  pay_amount: string | null
  /** The last second in which the amount can be paid. Null if it is not known. */
  due: string | null
  /** Set only where the surrounding page does not say what is paid. */
  dueSubject?: DueSubject
}

const toPathParams = ({ id }: PaymentTarget) => ({ contract: Number(id) })

export const toPaidItems = (items: readonly PaidItem[]) =>
  items.map(({ id, contractType }) => ({ id: Number(id), contractType }))

interface SentPayment {
  type: PaymentMethod
  token: string | null
  /** Purchase order number for the invoices. Undefined if the payer has not touched it, and empty for none. */
  poNumber: string | undefined
  /** What the page shows as paid by credit. */
  credit: string
}

export const sendPayment =
  (target: PaymentTarget, { type, token, poNumber, credit }: SentPayment): AppThunk<CallResult<OutputOf<typeof pay>>> =>
  async (_dispatch, _getState, { api }) => {
    const method = {
      type,
      credit,
      ...(token === null ? {} : { token }),
      ...(poNumber === undefined ? {} : { po_number: poNumber }),
    }
    if (target.items) return await api.call(payItems, { body: { ...method, items: toPaidItems(target.items) } })
    const body = {
      ...method,
      contractType: target.contractType ?? 'CONTRACT',
    } as const
    const recordName = getDisplayName(target)
    return await api.call(pay, { params: toPathParams(target), body }, recordName === null ? {} : { recordName })
  }

/** Returns whether the wizard has a draft of this order on this device, so that its last step must still be shown. */
export async function isDraftOrder(id: RowRef, type: ClientType | undefined): Promise<boolean> {
  if (!type) return false
  const { ownDraft, earlierDrafts } = await readDrafts(getDraftName(type))
  return [ownDraft, ...earlierDrafts].some((draft) => {
    const { step, ordered: createdOrderId } = (draft?.value ?? {}) as Partial<WizardFormDraft>
    return step === 2 && createdOrderId === id
  })
}

export type PaymentOutcome = OutputOf<typeof checkPayment>['status']

/** Returns null if there was no response. */
export const fetchPaymentOutcome =
  (target: PaymentTarget): AppThunk<PaymentOutcome | null> =>
  async (dispatch) =>
    (await dispatch(fetchPaymentCheck(target)))?.status ?? null

/** Returns the purchase order number of the latest payment of these items, or null if there is none or no response. */
export const fetchPoNumber =
  (target: PaymentTarget): AppThunk<string | null> =>
  async (dispatch) =>
    (await dispatch(fetchPaymentCheck(target)))?.po_number ?? null

const fetchPaymentCheck =
  (target: PaymentTarget): AppThunk<OutputOf<typeof checkPayment> | null> =>
  async (_dispatch, _getState, { api }) => {
    const result = target.items
      ? await api.call(checkItems, { body: { items: toPaidItems(target.items) } })
      : await api.call(checkPayment, {
          params: toPathParams(target),
          body: { contractType: target.contractType ?? 'CONTRACT' },
        })
    return result.kind === 'fresh' ? result.output : null
  }

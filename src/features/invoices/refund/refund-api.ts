import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type RefundRow, refundInvoice } from '#contract/staff/refunds.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import {
  type RefundedDocument,
  type RefundFigures,
  type RefundValues,
  toRefundBody,
} from '#features/invoices/refund/refund-form.ts'

export interface RefundInput {
  document: RefundedDocument
  values: RefundValues
  figures: RefundFigures
}

/** Refunds an invoice. With the intent of a call whose response was lost, it takes effect only once. */
export const refundDocument = (
  { document: { id }, values, figures }: RefundInput,
  options: CallOptions,
): AppThunk<CallResult<RefundRow>> =>
  callEndpoint(refundInvoice, { params: { id }, body: toRefundBody(values, figures) }, options)

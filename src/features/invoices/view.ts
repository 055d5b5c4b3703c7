/** The view of the invoices in the address (C-01): filters, the company that the staff view, and the open invoice. */
import { documentKinds, documentStates, invoiceListSpec } from '#contract/invoices.ts'
import { customerInvoiceListSpec } from '#contract/staff/customer-invoices.ts'
import { currencies } from '#domain/money.ts'
import { defineListView } from '#state/list-url.ts'
import { id, oneOf, type ViewField } from '#state/view-fields.ts'

/** Methods as users see them: `alipay` means both gateways of Alipay. */
export const shownMethods = ['stripe', 'alipay', 'transfer', 'credit', 'simulate'] as const

const yearField: ViewField<number | null> = {
  defaultValue: null,
  parse: (text) => (/^2\d{3}$/.test(text) ? Number(text) : undefined),
  print: String,
}

const fields = {
  /** The company that the provider's staff view; null for all companies. Customers have only their own. */
  company: id({ isScope: true, toQuery: () => ({}) }),
  year: yearField,
  kind: oneOf(documentKinds),
  state: oneOf(documentStates),
  currency: oneOf(currencies),
  method: oneOf(shownMethods),
  open: id({ param: 'invoice', isOutsideList: true }),
}

export const invoicesView = defineListView(invoiceListSpec, fields)
/** The list of all companies can also be sorted by company. */
export const allInvoicesView = defineListView(customerInvoiceListSpec, fields)
export type InvoicesView = (typeof invoicesView)['defaultView']

/** Years that the filter offers. Another year can be in the address. */
const offeredYears = 8

/** Returns the years of the filter, the latest first, with the chosen one. */
export function listYears(thisYear: number, chosenYear: number | null): number[] {
  const years = Array.from({ length: offeredYears }, (_, index) => thisYear - index)
  return chosenYear === null || years.includes(chosenYear) ? years : [...years, chosenYear].sort((a, b) => b - a)
}

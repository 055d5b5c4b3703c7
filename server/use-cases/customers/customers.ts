/** Reads of the provider's staff over all customers. The access rule of each call admits only the staff; other callers are refused here too. */
import { isProvider } from '#domain/access.ts'
import { type PaymentDue, sortDues, toDue } from '#domain/dues.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'
import type { getCustomer, listCustomerOrders, listCustomerPayments, listCustomers } from '#contract/staff/customers.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { type CustomerOrderRecord, customerOrderReads } from '#server/db/customers/customer-orders.ts'
import { type CustomerPaymentRecord, customerPaymentReads } from '#server/db/customers/customer-payments.ts'
import {
  type CustomerRecord,
  customerReads,
  type CustomerScope,
  findCustomer,
  isCustomerId,
} from '#server/db/customers/customers.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { type OrderRecord, orderReads } from '#server/db/orders/orders.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'
import { createListUseCase, type ListRow } from '#server/use-cases/list-use-case.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { getVisibleTypes, requireQueriedType } from '#server/use-cases/orders/client-types.ts'
import { toOrderRow } from '#server/use-cases/orders/orders.ts'

function requireProvider({ caller }: UseCaseContext): void {
  if (!isProvider(caller)) throw createNotFoundProblem()
}

const createScope = (context: UseCaseContext): CustomerScope => ({
  moment: getBusinessMoment(context),
  types: getVisibleTypes(context.caller),
  now: context.now,
})

const toCustomerRow = ({ app }: UseCaseContext, row: CustomerRecord): ListRow<typeof listCustomers> => ({
  ...row,
  last_activity: row.last_activity === null ? null : toTimestamp(app.config.timeZone, row.last_activity),
  create_time: toTimestamp(app.config.timeZone, row.create_time),
})

export const customerList = createListUseCase<typeof listCustomers, CustomerScope, CustomerRecord>({
  reads: customerReads,
  async runInScope(context, _input, read) {
    requireProvider(context)
    return await runAsSystem(context.db, () => read(createScope(context)))
  },
  toRow: toCustomerRow,
})

export const customerOrderList = createListUseCase<typeof listCustomerOrders, { moment: Moment }, CustomerOrderRecord>({
  reads: customerOrderReads,
  async runInScope(context, _input, read) {
    requireProvider(context)
    return await runAsSystem(context.db, () => read({ moment: getBusinessMoment(context) }))
  },
  toRow: ({ app }, row, { moment }) => ({
    ...toOrderRow(app, row, moment),
    company_code: row.company_code,
    company_name: row.company_name,
  }),
  toPageQuery: (context, query) => ({
    ...requireQueriedType(context, query),
    type: query.type ?? getVisibleTypes(context.caller) ?? undefined,
  }),
})

export const customerPaymentList = createListUseCase<
  typeof listCustomerPayments,
  { companyId: number },
  CustomerPaymentRecord
>({
  reads: customerPaymentReads,
  async runInScope(context, { params: { companyId } }, read) {
    requireProvider(context)
    return await runAsSystem(context.db, async () => {
      if (!(await isCustomerId(context.db, companyId))) throw createNotFoundProblem()
      return await read({ companyId })
    })
  },
  // A payment has no version of its own: only its task changes, and nobody writes it from this list.
  toRow: ({ app }, { paid_at: paidAt, ...row }) => ({
    ...row,
    paid_time: toTimestamp(app.config.timeZone, paidAt),
    row_version: 1,
  }),
})

const maxDueOrders = 50
/** The first ones to be due are selected from these, because no column has the due date of backups and traffic. */
const maxSortedOrders = 500
const maxEndingContracts = 10

/** Status numbers of the list of orders: 0 also finds contracts in effect with something to pay (decision 76). */
const toOrderQuery = ({ types }: CustomerScope, status: 0 | 1, results: number) => ({
  status,
  type: types ?? undefined,
  results,
  page: 1,
  sortField: 'expired_date',
  sortOrder: 'asc' as const,
})

const toContractLine = ({ id, code, name, period_end: periodEnd }: OrderRecord) => ({
  id,
  code,
  name,
  expired_date: getLastDay(periodEnd),
})

const sortByFirstDue = <Line extends { dues: PaymentDue[] }>(lines: Line[]): Line[] => {
  const getFirstDue = ({ dues }: Line) => dues[0]?.due ?? ''
  return lines.toSorted((a, b) => (getFirstDue(a) < getFirstDue(b) ? -1 : getFirstDue(a) > getFirstDue(b) ? 1 : 0))
}

export const get: UseCase<typeof getCustomer> = async (context, { params: { id } }) => {
  requireProvider(context)
  const { db, app } = context
  const scope = createScope(context)
  const orderScope = { companyId: id, moment: scope.moment }
  return await runAsSystem(db, async () => {
    const customer = requireRow(await findCustomer(db, scope, id))
    const profile = requireRow(await findCompanyById(db, id))
    const due = await orderReads.readPage(db, orderScope, toOrderQuery(scope, 0, maxSortedOrders))
    const ending = await orderReads.readPage(db, orderScope, toOrderQuery(scope, 1, maxEndingContracts))
    return {
      body: {
        ...toCustomerRow(context, customer),
        profile,
        dues: sortByFirstDue(
          due.rows.map((row) => ({
            ...toContractLine(row),
            dues: sortDues(row.unpaid_matters.map((matter) => toDue(matter, app.config.timeZone))),
          })),
        ).slice(0, maxDueOrders),
        ending: ending.rows.map(toContractLine),
      },
    }
  })
}

import { headers } from '#contract/headers.ts'
import * as calls from '#contract/staff/acting-calls.ts'
import * as contract from '#contract/staff/customer-notes.ts'
import { getCustomer, listCustomerOrders, listCustomerPayments, listCustomers } from '#contract/staff/customers.ts'
import { getSubject, requireCaller } from '#server/http/authenticate.ts'
import {
  createListHandler,
  createProcedureHandler,
  createUseCaseHandler,
  type EndpointHandler,
  type RequestContext,
} from '#server/http/route-handler.ts'
import { type ActingCall, start, stop } from '#server/use-cases/customers/act-for-customer.ts'
import * as consents from '#server/use-cases/customers/acting-consents.ts'
import * as notes from '#server/use-cases/customers/customer-notes.ts'
import { customerList, customerOrderList, customerPaymentList, get } from '#server/use-cases/customers/customers.ts'

const toActingCall = ({ principal, requestId }: RequestContext): ActingCall => ({
  user: requireCaller(principal),
  sessionId: principal.sessionId ?? '',
  requestId,
})

export const customerHandlers: EndpointHandler[] = [
  createListHandler(listCustomers, customerList),
  createUseCaseHandler(getCustomer, get),
  createListHandler(listCustomerPayments, customerPaymentList),
  createListHandler(listCustomerOrders, customerOrderList),
  createUseCaseHandler(contract.listCustomerNotes, notes.list),
  createUseCaseHandler(contract.createCustomerNote, notes.create),
  createUseCaseHandler(contract.updateCustomerNote, notes.update),
  createUseCaseHandler(contract.deleteCustomerNote, notes.remove),
  createUseCaseHandler(calls.listConsents, consents.list),
  createUseCaseHandler(calls.giveConsent, consents.give),
  createUseCaseHandler(calls.revokeConsent, consents.revoke),
  createUseCaseHandler(calls.getConsent, consents.get),
  createProcedureHandler(calls.startActing, async (context, { params }) => {
    await context.countWrite()
    const call = toActingCall(context)
    const { companyId, until, body } = await start(context.app, call, params.companyId)
    // The device opens the session that the response names.
    const subject = getSubject({ ...call.user, companyId })
    return { body, headers: { [headers.subject]: subject, [headers.actingUntil]: String(until) } }
  }),
  createProcedureHandler(calls.stopActing, async (context) => {
    await context.countWrite()
    await stop(context.app, toActingCall(context))
    return { body: null }
  }),
]

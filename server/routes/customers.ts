import { getCustomer, listCustomerOrders, listCustomerPayments, listCustomers } from '#contract/staff/customers.ts'
import { createListHandler, createUseCaseHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { customerList, customerOrderList, customerPaymentList, get } from '#server/use-cases/customers/customers.ts'

import * as contract from '#contract/staff/customer-notes.ts'
import * as notes from '#server/use-cases/customers/customer-notes.ts'

export const customerHandlers: EndpointHandler[] = [
  createListHandler(listCustomers, customerList),
  createUseCaseHandler(getCustomer, get),
  createListHandler(listCustomerPayments, customerPaymentList),
  createListHandler(listCustomerOrders, customerOrderList),
  createUseCaseHandler(contract.listCustomerNotes, notes.list),
  createUseCaseHandler(contract.createCustomerNote, notes.create),
  createUseCaseHandler(contract.updateCustomerNote, notes.update),
  createUseCaseHandler(contract.deleteCustomerNote, notes.remove),
]

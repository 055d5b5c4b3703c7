import { getCustomer, listCustomerOrders, listCustomerPayments, listCustomers } from '#contract/staff/customers.ts'
import { createListHandler, createUseCaseHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { customerList, customerOrderList, customerPaymentList, get } from '#server/use-cases/customers/customers.ts'

export const customerHandlers: EndpointHandler[] = [
  createListHandler(listCustomers, customerList),
  createUseCaseHandler(getCustomer, get),
  createListHandler(listCustomerPayments, customerPaymentList),
  createListHandler(listCustomerOrders, customerOrderList),
]

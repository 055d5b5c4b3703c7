import type { Endpoint } from '#contract/endpoint.ts'
import * as actingCalls from '#contract/staff/acting-calls.ts'
import * as accounts from '#contract/accounts.ts'
import * as apps from '#contract/staff/apps.ts'
import * as bankTransfers from '#contract/staff/bank-transfers.ts'
import * as backups from '#contract/backups.ts'
import * as calendars from '#contract/calendars.ts'
import * as customerNotes from '#contract/staff/customer-notes.ts'
import * as customers from '#contract/staff/customers.ts'
import * as factors from '#contract/factors.ts'
import * as customerInvoices from '#contract/staff/customer-invoices.ts'
import * as invoices from '#contract/invoices.ts'
import * as modules from '#contract/modules.ts'
import * as money from '#contract/staff/money.ts'
import * as notifications from '#contract/notifications.ts'
import * as orders from '#contract/orders.ts'
import * as payments from '#contract/payments.ts'
import * as prices from '#contract/prices.ts'
import * as refunds from '#contract/staff/refunds.ts'
import * as requests from '#contract/requests.ts'
import * as services from '#contract/services.ts'
import * as sessions from '#contract/sessions.ts'
import * as trail from '#contract/audit-trail.ts'
import * as users from '#contract/users.ts'
import * as visitors from '#contract/public.ts'
import * as withdrawnPrices from '#contract/staff/withdrawn-price-lists.ts'

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value

const listEndpoints = (noun: Record<string, unknown>) => Object.values(noun).filter(isEndpoint)

/** Ordered so that newcomers read the basic nouns first. */
export const endpointsByNoun: Readonly<Record<string, readonly Endpoint[]>> = {
  accounts: listEndpoints(accounts),
  factors: listEndpoints(factors),
  sessions: listEndpoints(sessions),
  notifications: listEndpoints(notifications),
  visitors: listEndpoints(visitors),
  requests: listEndpoints(requests),
  users: listEndpoints(users),
  orders: listEndpoints(orders),
  customers: [...listEndpoints(customers), ...listEndpoints(customerNotes), ...listEndpoints(actingCalls)],
  prices: [...listEndpoints(prices), ...listEndpoints(withdrawnPrices)],
  payments: [
    ...listEndpoints(payments),
    ...listEndpoints(refunds),
    ...listEndpoints(bankTransfers),
    ...listEndpoints(money),
  ],
  invoices: [...listEndpoints(invoices), ...listEndpoints(customerInvoices)],
  calendars: listEndpoints(calendars),
  services: listEndpoints(services),
  backups: listEndpoints(backups),
  trail: listEndpoints(trail),
  apps: listEndpoints(apps),
  modules: listEndpoints(modules),
}

export const endpoints: readonly Endpoint[] = Object.values(endpointsByNoun).flat()

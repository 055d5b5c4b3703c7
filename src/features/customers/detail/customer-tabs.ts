/** The tabs of a customer, each with its address, and who may open it. */
import { type Caller, isAllowed } from '#domain/access.ts'

const customerTabs = {
  overview: (caller) => isAllowed('providerOrder', caller),
  contracts: (caller) => isAllowed('staffOrder', caller),
  users: (caller) => isAllowed('providerAdmin', caller) && isAllowed('admin', caller),
  payments: (caller) => isAllowed('providerOrder', caller),
  services: (caller) => isAllowed('providerAdmin', caller),
  backups: (caller) => isAllowed('providerAdmin', caller),
  trail: (caller) => isAllowed('providerAdmin', caller) && isAllowed('trail', caller),
  notes: (caller) => isAllowed('providerOrder', caller),
} satisfies Record<string, (caller: Caller) => boolean>

export type CustomerTab = keyof typeof customerTabs

export const listCustomerTabs = (caller: Caller): CustomerTab[] =>
  (Object.keys(customerTabs) as CustomerTab[]).filter((tab) => customerTabs[tab](caller))

export const buildTabPath = (id: number, tab: CustomerTab): string =>
  tab === 'overview' ? `/app/m18/customer/${id}` : `/app/m18/customer/${id}/${tab}`

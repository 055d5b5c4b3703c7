import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { CustomerBackups } from '#app/pages/customers/CustomerBackups.tsx'
import { ContractsPage } from '#features/orders/list/ContractsPage.tsx'
import { CustomerDetails, type CustomerTabPages } from '#features/customers/detail/CustomerDetails.tsx'
import { CustomerOverview, type CustomerEventsPart } from '#features/customers/detail/CustomerOverview.tsx'
import { CustomerPayments } from '#features/customers/detail/CustomerPayments.tsx'
import { CustomerUsers } from '#features/customers/detail/CustomerUsers.tsx'
import { CustomerNotes } from '#features/customers/notes/CustomerNotes.tsx'
import { ServiceListPage } from '#features/services/list/ServiceListPage.tsx'
import { TrailPage } from '#features/audit-trail/pages/TrailPage.tsx'

const Events: CustomerEventsPart = createOptionalPart(async () => {
  const { RecentEntries } = await import(/* chunk: trail */ '#features/audit-trail/entry/RecentEntries.tsx')
  return ({ companyId, refreshKey }) => <RecentEntries companyId={companyId} refreshKey={refreshKey} />
})

const tabs: CustomerTabPages = {
  overview: (props) => <CustomerOverview {...props} EventsPart={Events} />,
  contracts: ({ frame }) => <ContractsPage frame={frame} />,
  users: CustomerUsers,
  payments: CustomerPayments,
  services: ({ frame }) => <ServiceListPage frame={frame} />,
  backups: CustomerBackups,
  trail: ({ frame }) => <TrailPage frame={frame} />,
  notes: CustomerNotes,
}

export const CustomerRoute = () => <CustomerDetails tabs={tabs} />

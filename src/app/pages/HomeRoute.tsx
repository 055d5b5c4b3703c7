import { type ComponentType, lazy, useEffect } from 'react'
import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { loadWithMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { type Caller, isAllowed, isProvider } from '#domain/access.ts'
import { HomeOverview, type HomeSource } from '#features/home/HomeOverview.tsx'
import type { SetupCardProps } from '#features/home/setup/SetupCard.tsx'
import { useSignedInSession } from '#state/use-store.ts'
import type { HomeReport, OnReport } from '#ui/page/home-report.ts'

/** Creates a source of the home page that loads after the first render. If its code cannot be loaded, its state is shown as unknown. */
function createSource(source: HomeReport['source'], load: () => Promise<HomeSource['Report']>): HomeSource {
  const Report = lazy<ComponentType<{ onReport: OnReport }>>(async () => {
    await waitForFirstPage()
    return { default: await load().catch(() => UnknownReport) }
  })
  function UnknownReport({ onReport }: { onReport: OnReport }) {
    useEffect(() => onReport({ source, state: 'unknown', duties: [], figures: {} }), [onReport])
    return null
  }
  return { source, Report }
}

const orderSource = createSource(
  'orders',
  async () => (await import(/* chunk: orders */ '#features/orders/home/OrderReport.tsx')).OrderReport,
)
const backupSource = createSource(
  'backups',
  async () => (await import(/* chunk: orders-backups */ '#features/backups/home/BackupReport.tsx')).BackupReport,
)
const userSource = createSource('users', async () => {
  const load = () => import(/* chunk: users */ '#features/users/home/UserReport.tsx')
  return (await loadWithMessages(load, 'users')).UserReport
})
const serviceSource = createSource(
  'services',
  async () => (await import(/* chunk: staff-services */ '#features/services/home/ServiceReport.tsx')).ServiceReport,
)

const customerSource = createSource(
  'customers',
  async () => (await import(/* chunk: staff-customers */ '#features/customers/home/CustomerReport.tsx')).CustomerReport,
)
const customerDueSource = createSource(
  'customerDues',
  async () => (await import(/* chunk: orders */ '#features/orders/home/CustomerDueReport.tsx')).CustomerDueReport,
)
const paymentSource = createSource(
  'payments',
  async () =>
    (await import(/* chunk: staff-payments */ '#features/payment-tasks/home/PaymentTaskReport.tsx')).PaymentTaskReport,
)

const trailSource = createSource(
  'trail',
  async () => (await import(/* chunk: trail */ '#features/audit-trail/home/TrailAlarmReport.tsx')).TrailAlarmReport,
)

const getSources = (caller: Caller): HomeSource[] => [
  ...(isAllowed('order', caller) ? [orderSource, backupSource] : []),
  ...(isAllowed('admin', caller) ? [userSource] : []),
  ...(isAllowed('providerOrder', caller) ? [customerSource] : []),
  ...(isAllowed('staffOrder', caller) ? [customerDueSource] : []),
  ...(isAllowed('providerAdmin', caller) ? [trailSource, paymentSource, serviceSource] : []),
]

/** The first steps. If their code cannot be loaded, the page is shown without them. */
const Setup = lazy<ComponentType<SetupCardProps>>(async () => {
  await waitForFirstPage()
  const load = () => import(/* chunk: users */ '#features/home/setup/SetupCard.tsx')
  return {
    default: await load().then(
      ({ SetupCard }) => SetupCard,
      () => MissingSetup,
    ),
  }
})
function MissingSetup({ onReport }: SetupCardProps) {
  useEffect(() => onReport({ source: 'setup', state: 'known', duties: [], figures: {} }), [onReport])
  return null
}

const TermsCard = createOptionalPart(
  async () => (await import(/* chunk: orders */ '#features/orders/home/TermsChart.tsx')).TermsChart,
)
const NewestCustomersCard = createOptionalPart(
  async () =>
    (await import(/* chunk: staff-customers */ '#features/customers/home/NewestCustomers.tsx')).NewestCustomers,
)
const LatestEntriesCard = createOptionalPart(
  async () => (await import(/* chunk: trail */ '#features/audit-trail/home/LatestEntries.tsx')).LatestEntries,
)
const PricesCard = createOptionalPart(
  async () => (await import(/* chunk: staff-prices */ '#features/prices/home/PricesInForce.tsx')).PricesInForce,
)
const AccountCard = createOptionalPart(
  async () => (await import(/* chunk: online */ '#app/pages/HomeAccount.tsx')).HomeAccount,
)
const ServicesCard = createOptionalPart(async () => {
  const load = () => import(/* chunk: pages */ '#features/entrance/home/OwnServices.tsx')
  return (await loadWithMessages(load, 'entrance')).OwnServices
})

const PrepareOfferCard = createOptionalPart(
  async () => (await import(/* chunk: common-prepare */ '#app/pages/prepare-parts.tsx')).DevicePrepareOffer,
)
const isTablet = () => matchMedia('(pointer:coarse),(display-mode:standalone)').matches

export function HomeRoute() {
  const { caller } = useSignedInSession()
  const isStaff = isAllowed('providerAdmin', caller)
  const isPlain = !isAllowed('admin', caller) && !isAllowed('order', caller) && !isStaff
  return (
    <HomeOverview
      sources={getSources(caller)}
      Setup={Setup}
      belowContent={
        <>
          {!isProvider(caller) && isAllowed('order', caller) && <TermsCard />}
          {isPlain && <ServicesCard />}
        </>
      }
      sideContent={
        <>
          {isAllowed('providerOrder', caller) && <NewestCustomersCard />}
          {isStaff && <PricesCard />}
          {isAllowed('trail', caller) && <LatestEntriesCard />}
          {!isAllowed('trail', caller) && <AccountCard />}
          {/* Last, because it appears only after the device was read, and moves what is below it. */}
          {isTablet() && <PrepareOfferCard />}
        </>
      }
    />
  )
}

/** Home with what the other features know: a feature sees no other one, and each comes from the part that its people keep. */
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { loadWords } from '#app/i18n/i18n.ts'
import { whenSettled } from '#app/browser/idle.ts'
import { stands } from '#app/routes/paths.ts'
import { type Caller, may } from '#domain/access.ts'
import { Home, type HomeSource } from '#features/home/HomePage.tsx'
import { useSignedIn } from '#state/hooks.ts'
import type { HomeReport, OnReport } from '#ui/page/home-report.ts'

/** After the first drawing; where its part is not kept yet and there is no line, home stands without what it knows. */
function sourceOf(from: HomeReport['from'], load: () => Promise<HomeSource['Report']>): HomeSource {
  const Report = lazy<ComponentType<{ onReport: OnReport }>>(async () => {
    await whenSettled()
    return { default: await load().catch(() => Unknown) }
  })
  function Unknown({ onReport }: { onReport: OnReport }) {
    useEffect(() => onReport({ from, state: 'unknown', duties: [], figures: {} }), [onReport])
    return null
  }
  return { from, Report }
}

const orders = sourceOf(
  'orders',
  async () => (await import(/* chunk: orders */ '#features/orders/home/OrderReport.tsx')).OrderReport,
)
const backups = sourceOf(
  'backups',
  async () => (await import(/* chunk: orders-backups */ '#features/backups/home/BackupReport.tsx')).BackupReport,
)
const users = sourceOf('users', async () => {
  const [{ UserReport }] = await Promise.all([
    import(/* chunk: users */ '#features/users/home/UserReport.tsx'),
    loadWords('users'),
  ])
  return UserReport
})
const services = sourceOf(
  'services',
  async () => (await import(/* chunk: staff-services */ '#features/services/home/ServiceReport.tsx')).ServiceReport,
)

const payments = sourceOf(
  'payments',
  async () =>
    (await import(/* chunk: staff-payments */ '#features/payment-tasks/home/PaymentTaskReport.tsx')).PaymentTaskReport,
)

const trails = sourceOf(
  'trail',
  async () => (await import(/* chunk: trail */ '#features/audit-trail/home/TrailAlarmReport.tsx')).TrailAlarmReport,
)

const sourcesFor = (caller: Caller): HomeSource[] => [
  ...(may('order', caller) ? [orders, backups] : []),
  ...(may('admin', caller) ? [users] : []),
  ...(may('providerAdmin', caller) ? [trails, payments, services] : []),
]

/** Where its code cannot be had nobody misses it. */
const cardOf = (load: () => Promise<ComponentType>) =>
  lazy<ComponentType>(async () => ({ default: await load().catch(() => () => null) }))

const Latest = cardOf(
  async () => (await import(/* chunk: trail */ '#features/audit-trail/home/LatestEntries.tsx')).LatestEntries,
)
const Watched = cardOf(
  async () => (await import(/* chunk: staff-services */ '#features/services/home/OrdersToWatch.tsx')).OrdersToWatch,
)
const Prices = cardOf(
  async () => (await import(/* chunk: staff-prices */ '#features/prices/home/PricesInForce.tsx')).PricesInForce,
)
const Account = cardOf(async () => (await import(/* chunk: online */ '#app/pages/HomeAccount.tsx')).HomeAccount)
const Services = cardOf(async () => {
  const [{ OwnServices }] = await Promise.all([
    import(/* chunk: pages */ '#features/entrance/home/OwnServices.tsx'),
    loadWords('entrance'),
  ])
  return OwnServices
})

/** Asked once of a tablet and of the installed app. */
const Offer = cardOf(
  async () => (await import(/* chunk: common-prepare */ '#app/pages/PrepareParts.tsx')).OwnPrepareOffer,
)
const isTablet = () => matchMedia('(pointer:coarse),(display-mode:standalone)').matches

const Card = ({ Shown }: { Shown: ComponentType }) => (
  <Suspense fallback={null}>
    <Shown />
  </Suspense>
)

export function OwnHome() {
  const { caller } = useSignedIn()
  const isStaff = may('providerAdmin', caller)
  const isPlain = !may('admin', caller) && !may('order', caller) && !isStaff
  return (
    <Home
      sources={sourcesFor(caller)}
      stands={stands}
      below={
        <>
          {isTablet() && <Card Shown={Offer} />}
          {isStaff ? <Card Shown={Watched} /> : isPlain && <Card Shown={Services} />}
        </>
      }
      beside={
        <>
          {isStaff && <Card Shown={Prices} />}
          {may('trail', caller) && <Card Shown={Latest} />}
          {!may('trail', caller) && <Card Shown={Account} />}
        </>
      }
    />
  )
}

import { Link } from 'react-router-dom'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useList } from '#state/use-list.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { useSkeletonLines } from '#ui/page/expected-rows.ts'
import { getKnownState } from '#ui/page/home-report.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import '#features/services/translations.ts'
import { type WatchedOrder, listOrdersToWatch } from '#features/services/home/orders-to-watch.ts'
import { allServicesView, homeServices } from '#features/services/home/home-services.ts'

const maxOrders = 8

/** Shows orders of all customers that are unpaid or near their end, for the provider's staff (D53). */
export function OrdersToWatch() {
  const { t } = useTranslation('services')
  const { rows, freshness } = useList(homeServices, { scope: null, view: allServicesView })
  const today = useBusinessToday()
  const watchedOrders = today === null ? [] : listOrdersToWatch(rows?.map(({ row }) => row) ?? [], today)
  const isLoading = getKnownState(freshness) === 'loading' || (today === null && freshness.isCached !== true)
  const skeletonLines = useSkeletonLines('watched', isLoading ? null : Math.min(watchedOrders.length, maxOrders))
  return (
    <section className="card home-card" aria-labelledby="home-watch">
      <h2 id="home-watch">{t('watch.title')}</h2>
      {isLoading && <Skeleton lines={skeletonLines} />}
      {watchedOrders.length === 0 && !isLoading && freshness.asOf !== null && (
        <p className="home-note">{t('watch.none')}</p>
      )}
      <ul className="home-list">
        {watchedOrders.slice(0, maxOrders).map((watchedOrder) => (
          <li key={watchedOrder.row.id}>
            <WatchedOrderItem {...watchedOrder} />
          </li>
        ))}
      </ul>
      <p className="home-foot">
        <Link className="home-all" to="/app/service">
          {watchedOrders.length > maxOrders
            ? t('watch.more', { count: watchedOrders.length - maxOrders })
            : t('watch.all')}
        </Link>
        <Freshness freshness={freshness} />
      </p>
    </section>
  )
}

function WatchedOrderItem({ row, days, isUnpaid }: WatchedOrder) {
  const { t } = useTranslation('services')
  const { id, code, company_name: company, expired_date: date } = row
  const endText = days === 0 ? t('watch.today') : t('watch.ends', { date, count: days ?? 0 })
  const reasons = [...(isUnpaid ? [t('watch.unpaid')] : []), ...(days === null ? [] : [endText])]
  return (
    <Link className="home-entry" to={`/app/service/${id}`}>
      <span>
        <bdi>{company}</bdi> · <code>{code}</code>
      </span>
      <span className="home-note">{reasons.join(' · ')}</span>
    </Link>
  )
}

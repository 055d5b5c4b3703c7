import { Link } from 'react-router-dom'
import { getSettings } from '#contract/accounts.ts'
import { readAged } from '#local/lists/responses.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { useList } from '#state/use-list.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { useToday } from '#ui/page/business-day.ts'
import { useTranslation } from 'react-i18next'
import '#features/services/words.ts'
import { type Watched, ordersToWatch } from '#features/services/home/orders-to-watch.ts'
import { everybodys, homeServices } from '#features/services/home/slice.ts'

const most = 8

/** Orders of all customers that are unpaid or near their end, for the provider's staff (D53). */
export function OrdersToWatch() {
  const { t } = useTranslation('services')
  const { response: settings } = useCachedResponse(readAged, getSettings, {})
  const { rows, freshness } = useList(homeServices, { scope: null, view: everybodys })
  const today = useToday(settings?.output.time_zone)
  const watched = settings ? ordersToWatch(rows?.map(({ row }) => row) ?? [], today) : []
  return (
    <section className="card home-card" aria-labelledby="home-watch">
      <h2 id="home-watch">{t('watch.title')}</h2>
      {watched.length === 0 && freshness.asOf !== null && <p className="home-note">{t('watch.none')}</p>}
      <ul className="home-list">
        {watched.slice(0, most).map((one) => (
          <li key={one.row.id}>
            <Item {...one} />
          </li>
        ))}
      </ul>
      <p className="home-foot">
        <Link className="home-all" to="/app/service">
          {watched.length > most ? t('watch.more', { count: watched.length - most }) : t('watch.all')}
        </Link>
        <Freshness fresh={freshness} />
      </p>
    </section>
  )
}

function Item({ row, days, isUnpaid }: Watched) {
  const { t } = useTranslation('services')
  const { id, code, company_name: company, expired_date: date } = row
  const ends = days === 0 ? t('watch.today') : t('watch.ends', { date, count: days ?? 0 })
  const why = [...(isUnpaid ? [t('watch.unpaid')] : []), ...(days === null ? [] : [ends])]
  return (
    <Link className="home-entry" to={`/app/service/${id}`}>
      <span>
        <bdi>{company}</bdi> · <code>{code}</code>
      </span>
      <span className="home-note">{why.join(' · ')}</span>
    </Link>
  )
}

import { Link } from 'react-router-dom'
import { useList } from '#state/use-list.ts'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { getKnownState } from '#ui/page/home-report.ts'
import { useSkeletonLines } from '#ui/page/expected-rows.ts'
import { useTranslation } from 'react-i18next'
import '#features/customers/translations.ts'
import { allCustomersView, homeCustomers } from '#features/customers/home/home-customers.ts'

const maxRows = 5

/** Shows the customers that signed up last. */
export function NewestCustomers() {
  const { t } = useTranslation('customers')
  const { rows = [], freshness } = useList(homeCustomers, { scope: null, view: allCustomersView })
  const state = getKnownState(freshness)
  const newestRows = rows
    .map(({ row }) => row)
    .toSorted((a, b) => (a.create_time < b.create_time ? 1 : a.create_time > b.create_time ? -1 : b.id - a.id))
    .slice(0, maxRows)
  const skeletonLines = useSkeletonLines('customers', state === 'known' ? newestRows.length : null)
  return (
    <section className="card home-card" aria-labelledby="home-customers">
      <h2 id="home-customers">{t('home.newest')}</h2>
      {state === 'loading' && <Skeleton lines={skeletonLines} />}
      {state === 'unknown' && <p className="home-note">{t('home.notHere')}</p>}
      {state === 'known' && newestRows.length === 0 && <p className="home-note">{t('home.none')}</p>}
      {newestRows.length > 0 && (
        <ul className="home-list">
          {newestRows.map(({ id, name, contracts, create_time }) => (
            <li key={id}>
              <Link className="home-entry" to={`/app/m18/customer/${id}`}>
                <span lang={getNameLang(name)}>{name}</span>
                <span className="home-note">
                  <TextWithDates text={`${create_time.slice(0, 10)} · ${t('home.contracts', { count: contracts })}`} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className="home-foot">
        <Link className="home-all" to="/app/m18/customer">
          {t('home.all')}
        </Link>
        {state === 'known' && <Freshness freshness={freshness} />}
      </p>
    </section>
  )
}

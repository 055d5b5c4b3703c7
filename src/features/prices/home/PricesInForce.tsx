import { Link } from 'react-router-dom'
import type { PriceRow } from '#contract/prices.ts'
import { getClientType } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import '#features/prices/words.ts'
import { usePriceLists } from '#features/prices/usePriceLists.ts'
import { getPriceListPath } from '#features/prices/paths.ts'

/** Shows the price list in force and the next one (D16). */
export function PricesInForce() {
  const { t } = useTranslation('prices')
  const { lists, state, getListState } = usePriceLists(useClientType(getClientType))
  const findList = (listState: 'inForce' | 'next') => lists?.find((row) => getListState(row) === listState)
  return (
    <section className="card home-card" aria-labelledby="home-prices">
      <h2 id="home-prices">{t('home.title')}</h2>
      {/* As high as two entries. */}
      {state === 'loading' && <Skeleton lines={5} />}
      {state === 'unknown' && <p className="home-note">{t('home.unknown')}</p>}
      {state === 'known' && (
        <ul className="home-list">
          <PriceListEntry label={t('home.inForce')} none={t('home.noneInForce')} list={findList('inForce')} />
          <PriceListEntry label={t('home.next')} none={t('home.noneNext')} list={findList('next')} />
        </ul>
      )}
      <Link className="home-all" to={getPriceListPath()}>
        {t('home.all')}
      </Link>
    </section>
  )
}

function PriceListEntry({ label, none, list }: { label: string; none: string; list: PriceRow | undefined }) {
  const { t } = useTranslation('prices')
  if (!list)
    return (
      <li className="home-entry">
        <span>{label}</span>
        <span className="home-note">{none}</span>
      </li>
    )
  return (
    <li>
      <Link className="home-entry" to={getPriceListPath(list.id)}>
        <span>{label}</span>
        <span className="home-note">{t('home.since', { date: list.effective_date, desc: list.desc })}</span>
      </Link>
    </li>
  )
}

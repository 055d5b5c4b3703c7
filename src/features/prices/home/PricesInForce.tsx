import { Link } from 'react-router-dom'
import type { PriceRow } from '#contract/prices.ts'
import { clientTypeOf } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import '#features/prices/words.ts'
import { usePriceLists } from '#features/prices/usePriceLists.ts'
import { pathOf } from '#features/prices/paths.ts'

/** The price list that counts today and the one that takes its place (D16). */
export function PricesInForce() {
  const { t } = useTranslation('prices')
  const { lists, state, standingOf } = usePriceLists(useClientType(clientTypeOf))
  const found = (standing: 'inForce' | 'next') => lists?.find((row) => standingOf(row) === standing)
  return (
    <section className="card home-card" aria-labelledby="home-prices">
      <h2 id="home-prices">{t('home.title')}</h2>
      {state === 'asking' && <Skeleton lines={2} />}
      {state === 'unknown' && <p className="home-note">{t('home.unknown')}</p>}
      {state === 'known' && (
        <ul className="home-list">
          <Item label={t('home.inForce')} none={t('home.noneInForce')} list={found('inForce')} />
          <Item label={t('home.next')} none={t('home.noneNext')} list={found('next')} />
        </ul>
      )}
      <Link className="home-all" to={pathOf()}>
        {t('home.all')}
      </Link>
    </section>
  )
}

function Item({ label, none, list }: { label: string; none: string; list: PriceRow | undefined }) {
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
      <Link className="home-entry" to={pathOf(list.id)}>
        <span>{label}</span>
        <span className="home-note">{t('home.since', { date: list.effective_date, desc: list.desc })}</span>
      </Link>
    </li>
  )
}

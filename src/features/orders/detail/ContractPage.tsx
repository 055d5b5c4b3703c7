import '#ui/icons/app-icons.ts'
import '#features/orders/contract-words.ts'
import { useParams } from 'react-router-dom'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Redirect } from '#ui/page/Redirect.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { Agreement } from '#features/orders/detail/ContractDetails.tsx'
import { Priced } from '#features/orders/quote/RequirePriceList.tsx'
import { Sheet } from '#features/orders/OrderStyles.tsx'
import { LatePayment } from '#features/orders/payment/LatePayment.tsx'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { useOrder } from '#features/orders/change/useContract.ts'

const list = '/app/contract'

/** One service order by its number, and all that can be done with it (contracts 2, D35). */
export function Contract(parts: ContractParts) {
  const { id = '' } = useParams()
  if (!/^\d{1,10}$/.test(id)) return <Unknown />
  // Each order is a page of its own: nothing that was typed in one is meant for the next.
  return <Priced>{() => <Order key={id} id={Number(id)} {...parts} />}</Priced>
}

function Order({ id, ...parts }: { id: number } & ContractParts) {
  const { t } = useTranslation('contract')
  const order = useOrder(id)
  const { shown, problem } = order
  // What never came to be is nothing to look at (M96).
  if (shown?.row.state === 'invalid')
    return (
      <LatePayment id={id} listPath={list}>
        <Redirect to={list} why={t('invalid', { code: shown.row.code })} />
      </LatePayment>
    )
  if (problem?.code === 'NOT_FOUND')
    return (
      <LatePayment id={id} listPath={list}>
        <Unknown />
      </LatePayment>
    )
  if (shown) return <Agreement order={{ ...order, shown }} {...parts} />
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: list }]}>
      <Sheet />
      {!problem && <Skeleton lines={6} />}
      {problem?.code === 'OFFLINE' && (
        // Nothing has to be pressed: it is asked for again when the line is back.
        <section className="card">
          <EmptyState icon="offline" title={t('notHere')}>
            <p>{t('missingOffline')}</p>
          </EmptyState>
        </section>
      )}
      {problem?.code !== 'OFFLINE' && (
        <ProblemNote problem={problem} title={t('missing')} onRetry={() => void order.again()} />
      )}
    </Page>
  )
}

function Unknown() {
  const { t } = useTranslation('contract')
  const all = (
    <ButtonLink kind="primary" to={list}>
      {t('unknown.all')}
    </ButtonLink>
  )
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: list }]}>
      <Sheet />
      <section className="card">
        <EmptyState icon="search" title={t('unknown.title')} action={all}>
          <p>{t('unknown.text')}</p>
        </EmptyState>
      </section>
    </Page>
  )
}

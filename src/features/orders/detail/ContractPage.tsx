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
import { ContractDetails } from '#features/orders/detail/ContractDetails.tsx'
import { RequirePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { LatePayment } from '#features/orders/payment/LatePayment.tsx'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { useOrder } from '#features/orders/change/useOrder.ts'

const listPath = '/app/contract'

/** One service order by its number, and all that can be done with it (contracts 2, D35). */
export function ContractPage(parts: ContractParts) {
  const { id = '' } = useParams()
  if (!/^\d{1,10}$/.test(id)) return <UnknownOrder />
  // Each order is a page of its own: nothing that was typed in one is meant for the next.
  return <RequirePriceList>{() => <OrderLoader key={id} id={Number(id)} {...parts} />}</RequirePriceList>
}

function OrderLoader({ id, ...parts }: { id: number } & ContractParts) {
  const { t } = useTranslation('contract')
  const order = useOrder(id)
  const { overlaidRow, problem } = order
  // What never came to be is nothing to look at (M96).
  if (overlaidRow?.row.state === 'invalid')
    return (
      <LatePayment id={id} listPath={listPath}>
        <Redirect to={listPath} reason={t('invalid', { code: overlaidRow.row.code })} />
      </LatePayment>
    )
  if (problem?.code === 'NOT_FOUND')
    return (
      <LatePayment id={id} listPath={listPath}>
        <UnknownOrder />
      </LatePayment>
    )
  if (overlaidRow) return <ContractDetails order={{ ...order, overlaidRow }} {...parts} />
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: listPath }]}>
      <OrderStyles />
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
        <ProblemNote problem={problem} title={t('missing')} onRetry={() => void order.refetch()} />
      )}
    </Page>
  )
}

function UnknownOrder() {
  const { t } = useTranslation('contract')
  const listLink = (
    <ButtonLink kind="primary" to={listPath}>
      {t('unknown.all')}
    </ButtonLink>
  )
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: listPath }]}>
      <OrderStyles />
      <section className="card">
        <EmptyState icon="search" title={t('unknown.title')} action={listLink}>
          <p>{t('unknown.text')}</p>
        </EmptyState>
      </section>
    </Page>
  )
}

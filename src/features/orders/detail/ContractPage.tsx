import '#ui/icons/app-icons.ts'
import '#features/orders/contract-words.ts'
import { useParams } from 'react-router-dom'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { Redirect } from '#ui/page/Redirect.tsx'
import { useTranslation } from 'react-i18next'
import { ContractDetails } from '#features/orders/detail/ContractDetails.tsx'
import { RequirePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { ContractFrame } from '#features/orders/ContractFrame.tsx'
import { LatePayment } from '#features/orders/payment/LatePayment.tsx'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { useOrder } from '#features/orders/change/useOrder.ts'

const listPath = '/app/contract'

/** Page of one service order by its number, with all its actions (contracts 2, D35). */
export function ContractPage(parts: ContractParts) {
  const { id = '' } = useParams()
  if (!/^\d{1,10}$/.test(id)) return <UnknownOrder />
  // The key resets the page, so that values typed for one order never appear on the next.
  return <RequirePriceList>{() => <OrderLoader key={id} id={Number(id)} {...parts} />}</RequirePriceList>
}

function OrderLoader({ id, ...parts }: { id: number } & ContractParts) {
  const { t } = useTranslation('contract')
  const order = useOrder(id)
  const { overlaidRow, problem } = order
  // An order that never took effect has no page (M96).
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
    <ContractFrame>
      <LoadPlaceholder
        problem={problem}
        title={t('missing')}
        offlineTitle={t('notHere')}
        offlineText={t('missingOffline')}
        onRetry={() => void order.refetch()}
      />
    </ContractFrame>
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
    <ContractFrame>
      <EmptyCard icon="search" title={t('unknown.title')} action={listLink}>
        <p>{t('unknown.text')}</p>
      </EmptyCard>
    </ContractFrame>
  )
}

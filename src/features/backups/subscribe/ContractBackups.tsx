import type { OrderRow } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import { readAged } from '#local/lists/responses.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { Sheet } from '#features/backups/BackupStyles.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import { Subscribed } from '#features/backups/subscribe/Subscribed.tsx'
import { serviceOfContract, useBusinessToday, useServices } from '#features/backups/useBackups.ts'

interface Props {
  order: OrderRow
  /** Another number each time that the page's reader asks for all of it anew. */
  asked: number
  parts: OrderParts
}

/** The backups of a contract's service: subscribed, paid, made and restored (contracts 2, M123). */
export function ContractBackups({ order, asked, parts }: Props) {
  const { t } = useTranslation('backups')
  const services = useServices()
  const price = useCachedResponse(readAged, getPriceInForce, { query: { type: order.client_type } })
  const today = useBusinessToday()
  const service = serviceOfContract(services.rows, order.contract_id)
  const { problem, refetch, isFetching, freshness } = services
  const list = price.response && {
    id: price.response.output.id,
    date: price.response.output.effective_date,
    prices: price.response.output.pdbPrice,
    asOf: price.response.asOf,
    again: () => void price.refetch(),
  }
  if (service && list?.prices && today !== null)
    return <Subscribed {...{ order, asked, parts, service, today, services }} list={{ ...list, prices: list.prices }} />
  const isKept = !isFetching && (freshness.isKept || freshness.asOf !== null)
  return (
    <>
      <Sheet />
      <LoadProblem problem={problem} title={t('page.missing')} onRetry={refetch} />
      {service === null && isKept ? (
        <section className="card">
          <EmptyState icon="offline" title={t('page.notHere')}>
            <p>{t('page.notHereText')}</p>
          </EmptyState>
        </section>
      ) : (
        <Skeleton lines={6} />
      )}
    </>
  )
}

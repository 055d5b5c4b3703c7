import type { OrderRow } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { BackupStyles } from '#features/backups/BackupStyles.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import { Subscriptions } from '#features/backups/subscribe/Subscriptions.tsx'
import { findServiceOfContract, useBusinessToday, useServices } from '#features/backups/backup-hooks.ts'

interface ContractBackupsProps {
  order: OrderRow
  /** Another number each time that the page's reader asks for all of it anew. */
  refreshCount: number
  parts: OrderParts
}

/** The backups of a contract's service: subscribed, paid, made and restored (contracts 2, M123). */
export function ContractBackups({ order, refreshCount, parts }: ContractBackupsProps) {
  const { t } = useTranslation('backups')
  const services = useServices()
  const price = useCachedResponse(readAgedResponse, getPriceInForce, { query: { type: order.client_type } })
  const today = useBusinessToday()
  const service = findServiceOfContract(services.rows, order.contract_id)
  const { problem, refetch, isFetching, freshness } = services
  const priceList = price.response && {
    id: price.response.output.id,
    date: price.response.output.effective_date,
    prices: price.response.output.pdbPrice,
    asOf: price.response.asOf,
    refetch: () => void price.refetch(),
  }
  if (service && priceList?.prices && today !== null)
    return (
      <Subscriptions
        {...{ order, refreshCount, parts, service, today, services }}
        priceList={{ ...priceList, prices: priceList.prices }}
      />
    )
  const isAnswered = !isFetching && (freshness.isCached || freshness.asOf !== null)
  return (
    <>
      <BackupStyles />
      <LoadProblem problem={problem} title={t('page.missing')} onRetry={refetch} />
      {service === null && isAnswered ? (
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

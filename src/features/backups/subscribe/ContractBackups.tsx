import type { OrderRow } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useRecord } from '#state/use-record.ts'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { BackupStyles } from '#features/backups/BackupStyles.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import { Subscriptions } from '#features/backups/subscribe/Subscriptions.tsx'
import { findServiceOfContract, useServices } from '#features/backups/backup-hooks.ts'

interface ContractBackupsProps {
  order: OrderRow
  refreshCount: number
  parts: OrderParts
}

/** Shows subscriptions, payments and backups of a contract's service (contracts 2, M123). */
export function ContractBackups({ order, refreshCount, parts }: ContractBackupsProps) {
  const { t } = useTranslation('backups')
  const services = useServices()
  const price = useRecord(getPriceInForce, { query: { type: order.client_type } })
  const today = useBusinessToday()
  const service = findServiceOfContract(services.rows, order.contract_id)
  const { problem, refetch, isFetching, freshness } = services
  const { record: priceList, asOf } = price
  if (service && priceList?.pdbPrice && asOf !== null && today !== null)
    return (
      <Subscriptions
        {...{ order, refreshCount, parts, service, today, services }}
        priceList={{ id: priceList.id, prices: priceList.pdbPrice, asOf, refetch: () => void price.refetch() }}
      />
    )
  const isAnswered = !isFetching && (freshness.isCached || freshness.asOf !== null)
  return (
    <>
      <BackupStyles />
      <LoadProblem problem={problem} title={t('page.missing')} onRetry={refetch} />
      {service === null && isAnswered ? (
        <EmptyCard icon="offline" title={t('page.notHere')}>
          <p>{t('page.notHereText')}</p>
        </EmptyCard>
      ) : (
        <Skeleton lines={6} />
      )}
    </>
  )
}

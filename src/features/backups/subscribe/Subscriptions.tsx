import { useEffect, useRef, useState } from 'react'
import { type PdbType, backupTypes } from '#contract/backups.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { ServiceRow } from '#contract/services.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { toBoughtPeriod } from '#domain/backups.ts'
import type { PlainDate } from '#domain/time.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { BackupStyles } from '#features/backups/BackupStyles.tsx'
import { OrdersTable } from '#features/backups/history/OrdersTable.tsx'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import { PayDialog } from '#features/backups/subscribe/PayDialog.tsx'
import { ReturnedPayment } from '#features/backups/subscribe/ReturnedPayment.tsx'
import { StoredBackups } from '#features/backups/stored/StoredBackups.tsx'
import { Notices } from '#features/backups/subscribe/Notices.tsx'
import { getBackupPrice } from '#features/backups/backup-quote.ts'
import { SubscribeForm } from '#features/backups/subscribe/SubscribeForm.tsx'
import { createDraft } from '#features/backups/subscribe/subscribe-draft.ts'
import { SubscriptionCard } from '#features/backups/subscribe/SubscriptionCard.tsx'
import { TrafficPart } from '#features/backups/traffic/TrafficPart.tsx'
import { useBackupCharges, type useServices, useStoredBackups } from '#features/backups/backup-hooks.ts'
import { useSubscribeDraft } from '#features/backups/subscribe/useSubscribeDraft.ts'

interface SubscriptionsProps {
  order: OrderRow
  /** Number of times that the user has refreshed the page. A new value fetches everything again. */
  refreshCount: number
  parts: OrderParts
  service: ServiceRow
  services: ReturnType<typeof useServices>
  today: PlainDate
  /** The cached price list in force; `asOf`: when it was read, epoch ms. */
  priceList: { id: number; prices: BackupPrices; asOf: number; refetch: () => void }
}

export function Subscriptions({ order, refreshCount, parts, service, services, today, priceList }: SubscriptionsProps) {
  const { t } = useTranslation('backups')
  const charges = useBackupCharges(service.id)
  const storedBackups = useStoredBackups(service.id)
  const { draft, saveDraft, offer, onContinue, onDiscard } = useSubscribeDraft(service.id)
  const [openPayable, setOpenPayable] = useState<BackupPayable | null>(null)
  const { currency } = order
  const { orders } = charges
  const refresh = () => {
    services.refetch()
    charges.refresh()
    storedBackups.refresh()
  }
  useRefreshOnRequest(refreshCount, refresh)
  const getBounds = (type: PdbType) => {
    const currentEnd = service[`${type}_date`]
    const lastOrder = orders.rows?.find(
      (row) => row.pdb_type === type && row.status === 1 && row.period_end === currentEnd,
    )
    return {
      today,
      currentEnd,
      anchor: lastOrder ? toBoughtPeriod(lastOrder).anchor : null,
      contractEnd: order.period_end,
    }
  }
  const getPrice = (type: PdbType) => getBackupPrice(priceList.prices, type, currency)
  const findUnpaidOrder = (type: PdbType) => {
    const id = service[`os_${type}`]
    return id === 0 ? null : (orders.rows?.find((row) => row.id === id) ?? {})
  }
  const openForm = (type: PdbType) =>
    draft?.type !== type && saveDraft(createDraft(type, getPrice(type), getBounds(type)))

  function handleOrdered(type: PdbType, { id, pay_amount }: { id: number; pay_amount: string }) {
    saveDraft(null)
    refresh()
    // A subscription without a charge takes effect immediately (D15).
    if (pay_amount === '0.00') return showToast({ kind: 'done', text: t('form.done', { type: t(`type.${type}`) }) })
    setOpenPayable({ contractType: 'PDBORDER', id, currency, pay_amount, due: null })
  }
  return (
    <div className="backups">
      <BackupStyles />
      <ReturnedPayment charges={charges} PaymentReturn={parts.PaymentReturn} onSettled={refresh} />
      <Notices {...{ service, charges }} plan={storedBackups.plan} onPay={setOpenPayable} />
      <div className="backup-cards">
        {backupTypes.map((type) => (
          <SubscriptionCard
            key={type}
            {...{ type, service, currency }}
            price={getPrice(type)}
            bounds={getBounds(type)}
            isOpen={draft?.type === type}
            onSubscribe={() => openForm(type)}
          />
        ))}
      </div>
      {offer && <DraftOffer savedAt={offer.savedAt} {...{ onContinue, onDiscard }} />}
      {draft && (
        <SubscribeForm
          key={draft.type}
          {...{ draft, priceList, currency }}
          serviceId={service.id}
          onChange={saveDraft}
          price={getPrice(draft.type)}
          bounds={getBounds(draft.type)}
          unpaidOrder={findUnpaidOrder(draft.type)}
          onOrdered={(order) => handleOrdered(draft.type, order)}
          onPriceOutdated={() => {
            priceList.refetch()
            refresh()
          }}
          FeeExplanation={parts.FeeExplanation}
        />
      )}
      <StoredBackups {...{ service, storedBackups, today }} services={services.rows} onDone={refresh} />
      <TrafficPart {...{ service, charges, parts }} onPay={setOpenPayable} />
      <OrdersTable service={service} orders={orders} print={parts.print} onPay={setOpenPayable} />
      {openPayable && (
        <PayDialog
          payable={openPayable}
          charges={charges}
          PaymentDialog={parts.PaymentDialog}
          onClose={() => setOpenPayable(null)}
          onPaid={() => {
            setOpenPayable(null)
            refresh()
          }}
        />
      )}
    </div>
  )
}

/** Fetches again when the count changes, but not on the first render, when everything is fetched anyway. */
function useRefreshOnRequest(refreshCount: number, refresh: () => void) {
  const previousCount = useRef(refreshCount)
  const latestRefresh = useLatestCallback(refresh)
  useEffect(() => {
    if (refreshCount === previousCount.current) return
    previousCount.current = refreshCount
    latestRefresh()
  }, [refreshCount, latestRefresh])
}

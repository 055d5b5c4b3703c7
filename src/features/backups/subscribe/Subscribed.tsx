import { useEffect, useRef, useState } from 'react'
import { type BackupType, backupTypes } from '#contract/backups.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { ServiceRow } from '#contract/services.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { boughtPeriod } from '#domain/backups.ts'
import type { PlainDate } from '#domain/time.ts'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { Sheet } from '#features/backups/BackupStyles.tsx'
import { OrdersTable } from '#features/backups/history/OrdersTable.tsx'
import type { Due, OrderParts } from '#features/backups/order-parts.ts'
import { PayDialog } from '#features/backups/subscribe/PayDialog.tsx'
import { Returned } from '#features/backups/subscribe/Returned.tsx'
import { StoredBackups } from '#features/backups/stored/StoredBackups.tsx'
import { Notices } from '#features/backups/subscribe/Notices.tsx'
import { priceOf } from '#features/backups/backup-quote.ts'
import { SubscribeForm } from '#features/backups/subscribe/SubscribeForm.tsx'
import { startedDraft } from '#features/backups/subscribe/subscribe-form.ts'
import { SubscriptionCard } from '#features/backups/subscribe/SubscriptionCard.tsx'
import { TrafficPart } from '#features/backups/traffic/TrafficPart.tsx'
import { useCharged, type useServices, useStored } from '#features/backups/useBackups.ts'
import { useSubscribeDraft } from '#features/backups/subscribe/useSubscribeDraft.ts'

interface Props {
  order: OrderRow
  /** Another number each time that the page's reader asks for all of it anew. */
  asked: number
  parts: OrderParts
  service: ServiceRow
  services: ReturnType<typeof useServices>
  today: PlainDate
  /** The price list in force that is here; `asOf`: when it was read, epoch ms. */
  list: { id: number; prices: BackupPrices; asOf: number; again: () => void }
}

/** The two subscriptions of a service, what is to be paid for them, and the backups that they make. */
export function Subscribed({ order, asked, parts, service, services, today, list }: Props) {
  const { t } = useTranslation('backups')
  const charged = useCharged(service.id)
  const stored = useStored(service.id)
  const { draft, keep, offer, onContinue, onDiscard } = useSubscribeDraft(service.id)
  const [paying, setPaying] = useState<Due | null>(null)
  const { currency } = order
  const { orders, months } = charged
  const refresh = () => {
    services.refetch()
    charged.refresh()
    stored.refresh()
  }
  useAsked(asked, refresh)
  const boundsOf = (type: BackupType) => {
    const present = service[`${type}_date`]
    const last = orders.rows?.find((row) => row.pdb_type === type && row.status === 1 && row.period_end === present)
    return { today, present, anchor: last ? boughtPeriod(last).anchor : null, contractEnd: order.period_end }
  }
  const priced = (type: BackupType) => priceOf(list.prices, type, currency)
  const unpaidOf = (type: BackupType) => {
    const id = service[`os_${type}`]
    return id === 0 ? null : (orders.rows?.find((row) => row.id === id) ?? {})
  }
  const open = (type: BackupType) => draft?.type !== type && keep(startedDraft(type, priced(type), boundsOf(type)))

  function ordered(type: BackupType, { id, pay_amount }: { id: number; pay_amount: string }) {
    keep(null)
    refresh()
    // Nothing is asked for what costs nothing: it is in effect at once (D15).
    if (pay_amount === '0.00') return showToast({ kind: 'done', text: t('form.done', { type: t(`type.${type}`) }) })
    setPaying({ contractType: 'PDBORDER', id, currency, pay_amount, due: null })
  }
  return (
    <div className="backups">
      <Sheet />
      <Returned charged={charged} PaymentReturn={parts.PaymentReturn} onSettled={refresh} />
      <Notices {...{ service, charged }} plan={stored.plan} onPay={setPaying} />
      <div className="backup-cards">
        {backupTypes.map((type) => (
          <SubscriptionCard
            key={type}
            {...{ type, service, currency }}
            price={priced(type)}
            bounds={boundsOf(type)}
            isOpen={draft?.type === type}
            onSubscribe={() => open(type)}
          />
        ))}
      </div>
      {offer && <DraftOffer at={offer.at} {...{ onContinue, onDiscard }} />}
      {draft && (
        <SubscribeForm
          key={draft.type}
          {...{ draft, list, currency }}
          serviceId={service.id}
          onChange={keep}
          price={priced(draft.type)}
          bounds={boundsOf(draft.type)}
          unpaid={unpaidOf(draft.type)}
          onOrdered={(made) => ordered(draft.type, made)}
          onOld={() => {
            list.again()
            refresh()
          }}
          Why={parts.Why}
        />
      )}
      <StoredBackups {...{ service, stored, today }} services={services.rows} onDone={refresh} />
      <TrafficPart {...{ service, charged, parts }} onPay={setPaying} />
      <OrdersTable code={service.code} orders={orders} print={parts.print} onPay={setPaying} />
      {paying && (
        <PayDialog
          due={paying}
          {...{ orders, months }}
          Payment={parts.Payment}
          onClose={() => setPaying(null)}
          onPaid={() => {
            setPaying(null)
            refresh()
          }}
        />
      )}
    </div>
  )
}

/** All of it is read anew as its reader asks for it, and not as the page comes: then it is read anyway. */
function useAsked(asked: number, refresh: () => void) {
  const first = useRef(asked)
  const latest = useRef(refresh)
  useEffect(() => {
    latest.current = refresh
  })
  useEffect(() => {
    if (asked === first.current) return
    first.current = asked
    latest.current()
  }, [asked])
}

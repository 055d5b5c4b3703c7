import { type Ref, useEffect, useRef } from 'react'
import { groupThousands, readAmount } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ProformaDetails } from '#features/orders/bank-transfer/ProformaDetails.tsx'
import { TransferProblem } from '#features/orders/bank-transfer/TransferButton.tsx'
import { CardForm } from '#features/orders/payment/CardForm.tsx'
import { PaymentPending } from '#features/orders/payment/PaymentPending.tsx'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { PoNumber } from '#features/orders/po-number/PoNumber.tsx'
import { PaymentStatus } from '#features/orders/payment/PaymentStatus.tsx'
import type { PayableOrder, PaymentMethod } from '#features/orders/payment/payment-api.ts'
import type { PaymentState } from '#features/orders/payment/usePayment.ts'

/** Shows the amount, the due date, the fields of the first method, and the result. */
export function PaymentDetails({ ref, ...state }: PaymentState & { ref?: Ref<HTMLDivElement> }) {
  const { t } = useTranslation('payment')
  const { order, offer, poNumber, payment, proforma } = state
  const { firstMethod, offlineReason } = offer
  const hasMethods = payment.hasMethods && proforma.record === null
  return (
    <div className="payment-about" ref={ref}>
      <AmountDue order={order} offer={offer} />
      <TransferProblem proforma={proforma} />
      <ProblemNote problem={payment.problem} title={t('failed')} shouldFocus />
      <OfferStatus offer={offer} />
      {payment.stage === 'checking' && <PaymentPending target={order} onOutcome={payment.handleOutcome} />}
      {firstMethod && hasMethods && <PoNumber field={poNumber} isLocked={!payment.canPay} />}
      {firstMethod && <MethodDetails {...state} type={firstMethod} hasMethods={hasMethods} />}
      {proforma.record && <ProformaDetails proforma={proforma.record} onLeave={proforma.leave} />}
      {offlineReason !== null && (
        <p className="payment-offline" role="status">
          {offlineReason}
        </p>
      )}
      <FailedNote messages={payment.failureMessages} />
    </div>
  )
}

interface AmountDueProps {
  order: PayableOrder
  offer: PaymentState['offer']
}

function AmountDue({ order: { currency, due, dueSubject, items }, offer }: AmountDueProps) {
  const { t } = useTranslation('payment')
  const formatDue = useDueFormatter()
  const { credit, left } = offer.getParts(offer.firstMethod ?? 'credit')
  return (
    <dl className="payment-due">
      {items && (
        <>
          <dt className="sr-only">{t('items')}</dt>
          {items.map(
            ({ id, contractType, about }) =>
              about && (
                <dd key={`${contractType} ${id}`} className="payment-item">
                  <span>{formatDue(about.subject, about.name)}</span>
                  <Amount currency={about.currency} amount={about.amount} />
                </dd>
              ),
          )}
        </>
      )}
      <dt>{t(items ? 'total' : 'due')}</dt>
      <dd>
        <Amount currency={currency} amount={offer.total} />
      </dd>
      {readAmount(credit) > 0n && (
        <>
          <div className="payment-split">
            <dt>{t('credit.title')}</dt>
            <dd>
              <span className="amount">{`${currency} −${groupThousands(credit)}`}</span>
            </dd>
          </div>
          <div className="payment-split">
            <dt>{t('credit.left')}</dt>
            <dd>
              <Amount currency={currency} amount={left} />
            </dd>
          </div>
        </>
      )}
      {dueSubject && <dd>{formatDue(dueSubject)}</dd>}
      {due && <dd className="field-help">{t(items ? 'untilFirst' : 'until', { date: due })}</dd>}
    </dl>
  )
}

function OfferStatus({
  offer: { settings, problem, refetch, isOnline, firstMethod, canTransfer },
}: Pick<PaymentState, 'offer'>) {
  const { t } = useTranslation('payment')
  if (settings) return firstMethod || canTransfer ? null : <p>{t('noWays')}</p>
  if (!isOnline) return null
  return problem ? <ProblemNote problem={problem} onRetry={() => void refetch()} /> : <Skeleton lines={3} />
}

interface MethodDetailsProps extends PaymentState {
  type: PaymentMethod
  /** False while a payment is checked or bank details are displayed. */
  hasMethods: boolean
}

/** Shows the card fields, which stay mounted without methods. For other methods it explains what the button does. */
function MethodDetails({ offer, card, type, hasMethods }: MethodDetailsProps) {
  const { t } = useTranslation('payment')
  return (
    <>
      {card.source ? (
        <div hidden={!hasMethods}>
          <CardForm card={card} source={card.source} amount={offer.getParts('stripe').left} currency={offer.currency} />
        </div>
      ) : (
        hasMethods && <p className="field-help">{offer.getHelp(type)}</p>
      )}
      {!offer.isAccepted && <p>{t('notTaken.contact')}</p>}
    </>
  )
}

/** Shows why a payment failed. Scrolls into view, because on a phone the button is far from the fields. */
function FailedNote({ messages }: { messages: readonly string[] }) {
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (messages.length > 0) note.current?.scrollIntoView({ block: 'nearest' })
  }, [messages])
  const [title, ...details] = messages
  if (title === undefined) return null
  return (
    <div ref={note}>
      <PaymentStatus kind="failed" title={title}>
        {details.map((detail) => (
          <p key={detail}>{detail}</p>
        ))}
      </PaymentStatus>
    </div>
  )
}

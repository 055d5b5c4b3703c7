import '#features/orders/payment-words.ts'
import { useEffect, useRef } from 'react'
import { groupThousands } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { CardForm } from '#features/orders/payment/CardForm.tsx'
import { PaymentPending } from '#features/orders/payment/PaymentPending.tsx'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { PaymentStatus } from '#features/orders/payment/PaymentStatus.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { type CardFieldsState, useCardFields } from '#features/orders/payment/useCardFields.ts'
import { type PaymentOffer, usePaymentOffer } from '#features/orders/payment/usePaymentOffer.ts'
import { type PayButtonName, useSendPayment } from '#features/orders/payment/useSendPayment.ts'

interface PanelProps {
  offer: PaymentOffer
  card: CardFieldsState
  payment: ReturnType<typeof useSendPayment>
}

/** Shows the amount, the due date, the first method with its button, the other methods, and the result (M81 to M86). */
export function PaymentPanel({ order, onPaid }: { order: PayableOrder; onPaid: () => void }) {
  const { t } = useTranslation('payment')
  const offer = usePaymentOffer(order)
  const card = useCardFields(offer)
  const payment = useSendPayment(order, card.form, onPaid)
  const panel = { offer, card, payment }
  const { firstMethod, offlineReason } = offer
  return (
    <section className="payment" aria-labelledby="payment-title">
      <div className="payment-about">
        <h2 id="payment-title" className="sr-only">
          {t('title')}
        </h2>
        <AmountDue order={order} amount={offer.amount} />
        <ProblemNote problem={payment.problem} title={t('failed')} shouldFocus />
        <OfferStatus offer={offer} />
        {payment.stage === 'checking' && <PaymentPending target={order} onOutcome={payment.handleOutcome} />}
        {firstMethod && <MethodDetails {...panel} type={firstMethod} />}
        {offlineReason !== null && (
          <p className="payment-offline" role="status">
            {offlineReason}
          </p>
        )}
        <FailedNote messages={payment.failureMessages} />
      </div>
      {firstMethod && payment.hasMethods && <PayButtons {...panel} type={firstMethod} />}
    </section>
  )
}

function AmountDue({ order: { currency, due, dueSubject }, amount }: { order: PayableOrder; amount: string }) {
  const { t } = useTranslation('payment')
  const formatDue = useDueFormatter()
  return (
    <dl className="payment-due">
      <dt>{t('due')}</dt>
      <dd>
        <Amount currency={currency} amount={amount} />
      </dd>
      {dueSubject && <dd>{formatDue(dueSubject)}</dd>}
      {due && <dd className="field-help">{t('until', { date: due })}</dd>}
    </dl>
  )
}

function OfferStatus({ offer: { settings, problem, refetch, isOnline, firstMethod } }: Pick<PanelProps, 'offer'>) {
  const { t } = useTranslation('payment')
  if (settings) return firstMethod ? null : <p>{t('noWays')}</p>
  if (!isOnline) return null
  return problem ? <ProblemNote problem={problem} onRetry={() => void refetch()} /> : <Skeleton lines={3} />
}

/** Shows the card fields, which stay mounted while a payment is checked. For other methods it explains what the button does. */
function MethodDetails({ offer, card, payment, type }: PanelProps & { type: PaymentType }) {
  const { t } = useTranslation('payment')
  return (
    <>
      {card.source ? (
        <div hidden={!payment.hasMethods}>
          <CardForm card={card} source={card.source} money={offer} />
        </div>
      ) : (
        payment.hasMethods && <p className="field-help">{offer.getHelp(type)}</p>
      )}
      {!offer.isAccepted && <p>{t('notTaken.contact')}</p>}
    </>
  )
}

function PayButtons({ type: firstMethod, ...panel }: PanelProps & { type: PaymentType }) {
  const { t } = useTranslation('payment')
  const { offer, card, payment } = panel
  const others: { button: PayButtonName; type: PaymentType }[] = [
    ...(card.isUsable ? [{ button: 'page', type: 'stripe' } as const] : []),
    ...offer.otherMethods.map((type) => ({ button: type, type })),
  ]
  return (
    <>
      <div className="payment-act">
        <PayButton {...panel} button="first" type={firstMethod} />
        {payment.stage === 'leaving' && <p role="status">{t('leaving')}</p>}
      </div>
      {others.length > 0 && (
        <div className="payment-others" role="group" aria-labelledby="payment-others">
          <h3 id="payment-others">{t('others')}</h3>
          {others.map(({ button, type }) => (
            <div key={button}>
              <PayButton {...panel} button={button} type={type} />
              <p className="field-help">{offer.getHelp(type)}</p>
            </div>
          ))}
        </div>
      )}
    </>
  )
}

interface PayButtonProps extends PanelProps {
  button: PayButtonName
  type: PaymentType
}

function PayButton({ offer, card, payment, button, type }: PayButtonProps) {
  const { t } = useTranslation('payment')
  const isFirst = button === 'first'
  return (
    <Button
      kind={isFirst ? 'primary' : 'quiet'}
      isBusy={(isFirst && card.isOpening) || (!payment.canPay && payment.pressedButton === button)}
      disabledReason={offer.getAmountReason(type) ?? offer.offlineReason ?? (payment.canPay ? null : t('sending'))}
      onClick={() => void payment.send(button, type)}
    >
      {t(`pay.${isFirst ? type : button}`, { amount: `${offer.currency} ${groupThousands(offer.amount)}` })}
    </Button>
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

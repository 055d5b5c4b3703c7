import '#features/orders/payment-words.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { getAmountLimits, type PaymentType, getAmountRefusal } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import {
  type CardFormHandle,
  type CardFormState,
  type CardSource,
  CardForm,
} from '#features/orders/payment/CardForm.tsx'
import { PaymentPending } from '#features/orders/payment/PaymentPending.tsx'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { PaymentStatus } from '#features/orders/payment/PaymentStatus.tsx'
import {
  fetchPaymentOutcome,
  type PaymentOutcome,
  type PayableOrder,
  sendPayment,
  type PaymentSettings,
  getPaymentMethods,
} from '#features/orders/payment/payment-api.ts'

/** `leaving`: the browser is on its way to the gateway. `checking`: the gateway has not said its last word. */
type Stage = 'ready' | 'sending' | 'leaving' | 'checking'

/** `firstMethod`: the primary one; `page`: a card on the gateway's own page. */
type PayButton = PaymentType | 'first' | 'page'

/** Amount, when it is due, the way most people take with its button, and the others below; then what came of it (M81 to M86). */
export function PaymentPanel({ order, onPaid }: { order: PayableOrder; onPaid: () => void }) {
  const { t } = useTranslation('payment')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  // What this installation takes.
  const { response: settings, problem: settingsProblem, refetch } = useCachedResponse(readAgedResponse, getSettings, {})
  const paymentSettings = settings?.output.payment
  const card = useRef<CardFormHandle | null>(null)
  const { stage, pressedButton, problem, failureMessages, send, handleOutcome } = useSendPayment(order, card, onPaid)
  const [cardState, setCardState] = useState<CardFormState>('opening')
  // Opened with a connection; what was typed stays where it is when the connection goes.
  const [hasBeenOnline, setHasBeenOnline] = useState(isOnline)
  if (isOnline && !hasBeenOnline) setHasBeenOnline(true)
  const amount = order.pay_amount ?? order.amount ?? '0.00'
  const { currency } = order
  const formatDue = useDueFormatter()
  const methods = paymentSettings ? getPaymentMethods(paymentSettings, currency, caller) : []
  const getAmountReason = (type: PaymentType) => {
    const reason = getAmountRefusal(type, currency, readAmount(amount))
    const limits = getAmountLimits(type, currency)
    if (!reason || !limits) return null
    const limit = writeAmount(reason === 'tooSmall' ? limits.min : limits.max)
    return t(`notTaken.${reason}`, { limit: `${currency} ${groupThousands(limit)}` })
  }
  // One that takes the amount comes first.
  const firstMethod = methods.find((type) => getAmountReason(type) === null) ?? methods[0]
  const otherMethods = methods.filter((type) => type !== firstMethod)
  const isFirstAccepted = firstMethod !== undefined && getAmountReason(firstMethod) === null
  const cardSource =
    firstMethod === 'stripe' && isFirstAccepted && hasBeenOnline ? findCardSource(paymentSettings) : null
  const hasCardForm = cardSource !== null && cardState !== 'none'
  const date = order.due ?? ''
  const amountText = `${order.currency} ${groupThousands(amount)}`
  /** One payment at a time: while it is sent, the other buttons say so. */
  const getButtonState = (button: PayButton, type: PaymentType) => ({
    isBusy: stage !== 'ready' && pressedButton === button,
    disabledReason:
      getAmountReason(type) ?? ((!isOnline && t('offline', { date })) || (stage !== 'ready' && t('sending'))),
  })
  const isOpening = cardSource !== null && isOnline && cardState === 'opening'
  return (
    <section className="payment" aria-labelledby="payment-title">
      <div className="payment-about">
        <h2 id="payment-title" className="sr-only">
          {t('title')}
        </h2>
        <dl className="payment-due">
          <dt>{t('due')}</dt>
          <dd>
            <Amount currency={order.currency} amount={amount} />
          </dd>
          {order.dueSubject && <dd>{formatDue(order.dueSubject)}</dd>}
          {date && <dd className="field-help">{t('until', { date })}</dd>}
        </dl>
        <ProblemNote problem={problem} title={t('failed')} shouldFocus />
        {isOnline && <ProblemNote problem={paymentSettings ? null : settingsProblem} onRetry={() => void refetch()} />}
        {stage === 'checking' && <PaymentPending target={order} onOutcome={handleOutcome} />}
        {!paymentSettings && !settingsProblem && isOnline && <Skeleton lines={3} />}
        {paymentSettings && !firstMethod && <p>{t('noWays')}</p>}
        {firstMethod && cardSource && (
          <div hidden={stage === 'checking'}>
            <CardForm
              form={card}
              state={cardState}
              onState={setCardState}
              source={cardSource}
              money={{ amount, currency }}
            />
          </div>
        )}
        {firstMethod && !cardSource && stage !== 'checking' && (
          <p className="field-help">{getAmountReason(firstMethod) ?? t(`help.${firstMethod}`)}</p>
        )}
        {firstMethod && !isFirstAccepted && <p>{t('notTaken.contact')}</p>}
        {!isOnline && (
          <p className="payment-offline" role="status">
            {t('offline', { date })}
          </p>
        )}
        <FailedNote messages={failureMessages} />
      </div>
      {firstMethod && stage !== 'checking' && (
        <div className="payment-act">
          <Button
            kind="primary"
            {...getButtonState('first', firstMethod)}
            {...(isOpening ? { isBusy: true } : {})}
            onClick={() => void send('first', firstMethod, firstMethod === 'stripe' ? card.current : null)}
          >
            {t(`pay.${firstMethod}`, { amount: amountText })}
          </Button>
          {stage === 'leaving' && <p role="status">{t('leaving')}</p>}
        </div>
      )}
      {(otherMethods.length > 0 || hasCardForm) && stage !== 'checking' && (
        <div className="payment-others" role="group" aria-labelledby="payment-others">
          <h3 id="payment-others">{t('others')}</h3>
          {hasCardForm && (
            <div>
              <Button {...getButtonState('page', 'stripe')} onClick={() => void send('page', 'stripe', null)}>
                {t('pay.page', { amount: amountText })}
              </Button>
              <p className="field-help">{t('help.stripe')}</p>
            </div>
          )}
          {otherMethods.map((type) => (
            <div key={type}>
              <Button {...getButtonState(type, type)} onClick={() => void send(type, type, null)}>
                {t(`pay.${type}`, { amount: amountText })}
              </Button>
              <p className="field-help">{getAmountReason(type) ?? t(`help.${type}`)}</p>
            </div>
          ))}
        </div>
      )}
    </section>
  )
}

/** Brought into view: on a phone the button stands apart from the fields. */
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

/** Where the card is typed: into Stripe's fields, or in the demo into the sandbox's. Null: on the gateway's own page alone. */
function findCardSource(paymentSettings: PaymentSettings | undefined): CardSource | null {
  if (paymentSettings?.stripe_key) return { stripeKey: paymentSettings.stripe_key }
  return paymentSettings?.card_frame ? { frame: paymentSettings.card_frame } : null
}

/** One payment at a time, however often it is pressed. */
function useSendPayment(order: PayableOrder, card: RefObject<CardFormHandle | null>, onPaid: () => void) {
  const { t } = useTranslation('payment')
  const dispatch = useDispatch()
  const [stage, setStage] = useState<Stage>('ready')
  const [pressedButton, setPressedButton] = useState<PayButton>('first')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [failureMessages, setFailureMessages] = useState<readonly string[]>([])
  const isSending = useRef(false)
  usePageRestore(() => {
    setStage('ready')
    // Whatever became of it at the gateway.
    card.current?.dropToken()
  })

  function handlePaid() {
    setStage('ready')
    showToast({ kind: 'done', text: t('paid.title') })
    onPaid()
  }
  function handleOutcome(outcome: PaymentOutcome) {
    if (outcome === 'paid') return handlePaid()
    setStage('ready')
    // Whatever became of it, the token is spent.
    card.current?.dropToken()
    if (outcome === 'received') return setFailureMessages([t('received.title'), t('received.text')])
    setFailureMessages([outcome === 'declined' ? t('declined') : t('unfinished')])
  }
  async function createPayment(type: PaymentType, form: CardFormHandle | null) {
    const tokenResult = form ? await form.createToken() : null
    // The gateway's own sentence says which part of it (M81).
    if (tokenResult?.kind === 'invalid') return setFailureMessages([t('declined'), tokenResult.message].filter(Boolean))
    if (tokenResult?.kind === 'failed') return setFailureMessages([t('unsent')])
    const wasOnline = navigator.onLine
    const result = await dispatch(sendPayment(order, type, tokenResult?.token ?? null))
    if (result.kind === 'problem') {
      if (wasOnline && isUnanswered(result.problem)) return await followUnanswered(result.problem)
      if (isPaidAlready(result.problem)) return handlePaid()
      if (result.problem.code === 'CARD_INVALID') {
        form?.dropToken()
        return setFailureMessages([t('declined'), t(getReasonKey(result.problem))])
      }
      return setProblem(result.problem)
    }
    if (result.kind !== 'fresh') return
    if ('redirect' in result.output) return redirectTo(result.output.redirect)
    if (result.output.status === 'processing') return setStage('checking')
    handleOutcome(result.output.status)
  }
  /** Money may have been taken. An older attempt may have been declined, so that says nothing of this one. */
  async function followUnanswered(problem: Problem) {
    const outcome = await dispatch(fetchPaymentOutcome(order))
    if (outcome === null) return setFailureMessages([t('unanswered.title'), t('unanswered.text')])
    if (outcome === 'processing') return setStage('checking')
    if (outcome === 'paid' || outcome === 'received') return handleOutcome(outcome)
    setProblem(problem)
  }
  function redirectTo(address: string) {
    setStage('leaving')
    location.assign(address)
  }
  async function send(button: PayButton, type: PaymentType, form: CardFormHandle | null) {
    if (isSending.current) return
    setPressedButton(button)
    isSending.current = true
    setProblem(null)
    setFailureMessages([])
    setStage('sending')
    await createPayment(type, form).finally(() => {
      isSending.current = false
      setStage((stage) => (stage === 'sending' ? 'ready' : stage))
    })
  }
  return { stage, pressedButton, problem, failureMessages, send, handleOutcome }
}

/** Whoever turns back in the browser finds the page as it was left, and the button as well. */
function usePageRestore(onRestore: () => void) {
  const latestOnRestore = useRef(onRestore)
  useEffect(() => {
    latestOnRestore.current = onRestore
  })
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => event.persisted && latestOnRestore.current()
    addEventListener('pageshow', onPageShow)
    return () => removeEventListener('pageshow', onPageShow)
  }, [])
}

/** In another tab, or by a call of ours whose answer was lost. */
const isPaidAlready = ({ code, data }: Problem) =>
  code === 'STATE_CONFLICT' && (data as { why?: string } | null)?.why === 'paidAlready'

/** Cut off, or answered by a proxy in the server's place. */
const isUnanswered = (problem: Problem) => isOffline(problem) || problem.code === 'BLOCKED_BY_PROXY'

const reasons = ['insufficient_funds', 'expired_card', 'incorrect_cvc', 'incorrect_number'] as const

function getReasonKey({ data }: Problem): `reason.${(typeof reasons)[number] | 'other'}` {
  const reason = (data as { reason?: string } | null)?.reason
  return `reason.${reasons.find((knownReason) => knownReason === reason) ?? 'other'}`
}

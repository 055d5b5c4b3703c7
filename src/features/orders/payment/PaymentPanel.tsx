import '#features/orders/payment-words.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { amountLimits, type PaymentType, whyAmountNotTaken } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { readAged } from '#local/lists/responses.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { type CardForm, type CardFormState, type CardSource, PaymentCard } from '#features/orders/payment/CardForm.tsx'
import { PaymentWait } from '#features/orders/payment/PaymentPending.tsx'
import { useDueText } from '#features/orders/useDueText.ts'
import { PaymentNote } from '#features/orders/payment/PaymentStatus.tsx'
import {
  askOutcome,
  type Outcome,
  type Payable,
  sendPayment,
  type Ways,
  waysFor,
} from '#features/orders/payment/payment-api.ts'

/** `leaving`: the browser is on its way to the gateway. `checking`: the gateway has not said its last word. */
type Stage = 'ready' | 'sending' | 'leaving' | 'checking'

/** `first`: the primary one; `page`: a card on the gateway's own page. */
type PayButton = PaymentType | 'first' | 'page'

/** Amount, when it is due, the way most people take with its button, and the others below; then what came of it (M81 to M86). */
export function PaymentPanel({ order, onPaid }: { order: Payable; onPaid: () => void }) {
  const { t } = useTranslation('payment')
  const { caller } = useSignedIn()
  const isOnline = useConnection().line === 'online'
  // What this installation takes.
  const { response: settings, problem: unread, refetch } = useCachedResponse(readAged, getSettings, {})
  const ways = settings?.output.payment
  const card = useRef<CardForm | null>(null)
  const { stage, pressed, problem, failed, send, told } = useSending(order, card, onPaid)
  const [cardState, setCardState] = useState<CardFormState>('opening')
  // Opened with a connection; what was typed stays where it is when the connection goes.
  const [hasBeenOnline, setHasBeenOnline] = useState(isOnline)
  if (isOnline && !hasBeenOnline) setHasBeenOnline(true)
  const amount = order.pay_amount ?? order.amount ?? '0.00'
  const { currency } = order
  const dueText = useDueText()
  const methods = ways ? waysFor(ways, currency, caller) : []
  const whyNotTaken = (type: PaymentType) => {
    const why = whyAmountNotTaken(type, currency, readAmount(amount))
    const limits = amountLimits(type, currency)
    if (!why || !limits) return null
    const limit = writeAmount(why === 'tooSmall' ? limits.min : limits.max)
    return t(`notTaken.${why}`, { limit: `${currency} ${grouped(limit)}` })
  }
  // One that takes the amount comes first.
  const first = methods.find((type) => whyNotTaken(type) === null) ?? methods[0]
  const others = methods.filter((type) => type !== first)
  const isTaken = first !== undefined && whyNotTaken(first) === null
  const cardSource = first === 'stripe' && isTaken && hasBeenOnline ? findCardSource(ways) : null
  const hasCardForm = cardSource !== null && cardState !== 'none'
  const date = order.due ?? ''
  const written = `${order.currency} ${grouped(amount)}`
  /** One payment at a time: while it is sent, the other buttons say so. */
  const stateOf = (button: PayButton, type: PaymentType) => ({
    busy: stage !== 'ready' && pressed === button,
    whyNot: whyNotTaken(type) ?? ((!isOnline && t('offline', { date })) || (stage !== 'ready' && t('sending'))),
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
          {order.matter && <dd>{dueText(order.matter)}</dd>}
          {date && <dd className="field-help">{t('until', { date })}</dd>}
        </dl>
        <ProblemNote problem={problem} title={t('failed')} focus />
        {isOnline && <ProblemNote problem={ways ? null : unread} onRetry={() => void refetch()} />}
        {stage === 'checking' && <PaymentWait paid={order} onTold={told} />}
        {!ways && !unread && isOnline && <Skeleton lines={3} />}
        {ways && !first && <p>{t('noWays')}</p>}
        {first && cardSource && (
          <div hidden={stage === 'checking'}>
            <PaymentCard
              form={card}
              state={cardState}
              onState={setCardState}
              source={cardSource}
              money={{ amount, currency }}
            />
          </div>
        )}
        {first && !cardSource && stage !== 'checking' && (
          <p className="field-help">{whyNotTaken(first) ?? t(`help.${first}`)}</p>
        )}
        {first && !isTaken && <p>{t('notTaken.contact')}</p>}
        {!isOnline && (
          <p className="payment-offline" role="status">
            {t('offline', { date })}
          </p>
        )}
        <FailedNote lines={failed} />
      </div>
      {first && stage !== 'checking' && (
        <div className="payment-act">
          <Button
            kind="primary"
            {...stateOf('first', first)}
            {...(isOpening ? { busy: true } : {})}
            onClick={() => void send('first', first, first === 'stripe' ? card.current : null)}
          >
            {t(`pay.${first}`, { amount: written })}
          </Button>
          {stage === 'leaving' && <p role="status">{t('leaving')}</p>}
        </div>
      )}
      {(others.length > 0 || hasCardForm) && stage !== 'checking' && (
        <div className="payment-others" role="group" aria-labelledby="payment-others">
          <h3 id="payment-others">{t('others')}</h3>
          {hasCardForm && (
            <div>
              <Button {...stateOf('page', 'stripe')} onClick={() => void send('page', 'stripe', null)}>
                {t('pay.page', { amount: written })}
              </Button>
              <p className="field-help">{t('help.stripe')}</p>
            </div>
          )}
          {others.map((type) => (
            <div key={type}>
              <Button {...stateOf(type, type)} onClick={() => void send(type, type, null)}>
                {t(`pay.${type}`, { amount: written })}
              </Button>
              <p className="field-help">{whyNotTaken(type) ?? t(`help.${type}`)}</p>
            </div>
          ))}
        </div>
      )}
    </section>
  )
}

/** Brought into view: on a phone the button stands apart from the fields. */
function FailedNote({ lines }: { lines: readonly string[] }) {
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (lines.length > 0) note.current?.scrollIntoView({ block: 'nearest' })
  }, [lines])
  const [title, ...more] = lines
  if (title === undefined) return null
  return (
    <div ref={note}>
      <PaymentNote kind="failed" title={title}>
        {more.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </PaymentNote>
    </div>
  )
}

/** Where the card is typed: into Stripe's fields, or in the demo into the sandbox's. Null: on the gateway's own page alone. */
function findCardSource(ways: Ways | undefined): CardSource | null {
  if (ways?.stripe_key) return { stripeKey: ways.stripe_key }
  return ways?.card_frame ? { frame: ways.card_frame } : null
}

/** One payment at a time, however often it is pressed. */
function useSending(order: Payable, card: RefObject<CardForm | null>, onPaid: () => void) {
  const { t } = useTranslation('payment')
  const dispatch = useDispatch()
  const [stage, setStage] = useState<Stage>('ready')
  const [pressed, setPressed] = useState<PayButton>('first')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [failed, setFailed] = useState<readonly string[]>([])
  const isSending = useRef(false)
  useStay(() => {
    setStage('ready')
    // Whatever became of it at the gateway.
    card.current?.dropToken()
  })

  function paid() {
    setStage('ready')
    showToast({ kind: 'done', text: t('paid.title') })
    onPaid()
  }
  function told(outcome: Outcome) {
    if (outcome === 'paid') return paid()
    setStage('ready')
    // Whatever became of it, the token is spent.
    card.current?.dropToken()
    if (outcome === 'received') return setFailed([t('received.title'), t('received.text')])
    setFailed([outcome === 'declined' ? t('declined') : t('unfinished')])
  }
  async function settle(type: PaymentType, form: CardForm | null) {
    const typed = form ? await form.createToken() : null
    // The gateway's own sentence says which part of it (M81).
    if (typed?.kind === 'invalid') return setFailed([t('declined'), typed.message].filter(Boolean))
    if (typed?.kind === 'failed') return setFailed([t('unsent')])
    const wasOnline = navigator.onLine
    const result = await dispatch(sendPayment(order, type, typed?.token ?? null))
    if (result.kind === 'problem') {
      if (wasOnline && isUnanswered(result.problem)) return await followUnanswered(result.problem)
      if (isPaidAlready(result.problem)) return paid()
      if (result.problem.code === 'CARD_INVALID') {
        form?.dropToken()
        return setFailed([t('declined'), t(reasonOf(result.problem))])
      }
      return setProblem(result.problem)
    }
    if (result.kind !== 'fresh') return
    if ('redirect' in result.output) return leave(result.output.redirect)
    if (result.output.status === 'processing') return setStage('checking')
    told(result.output.status)
  }
  /** Money may have been taken. An older attempt may have been declined, so that says nothing of this one. */
  async function followUnanswered(problem: Problem) {
    const outcome = await dispatch(askOutcome(order))
    if (outcome === null) return setFailed([t('unanswered.title'), t('unanswered.text')])
    if (outcome === 'processing') return setStage('checking')
    if (outcome === 'paid' || outcome === 'received') return told(outcome)
    setProblem(problem)
  }
  function leave(address: string) {
    setStage('leaving')
    location.assign(address)
  }
  async function send(button: PayButton, type: PaymentType, form: CardForm | null) {
    if (isSending.current) return
    setPressed(button)
    isSending.current = true
    setProblem(null)
    setFailed([])
    setStage('sending')
    await settle(type, form).finally(() => {
      isSending.current = false
      setStage((now) => (now === 'sending' ? 'ready' : now))
    })
  }
  return { stage, pressed, problem, failed, send, told }
}

/** Whoever turns back in the browser finds the page as it was left, and the button as well. */
function useStay(shown: () => void) {
  const run = useRef(shown)
  useEffect(() => {
    run.current = shown
  })
  useEffect(() => {
    const hear = (event: PageTransitionEvent) => event.persisted && run.current()
    addEventListener('pageshow', hear)
    return () => removeEventListener('pageshow', hear)
  }, [])
}

/** In another tab, or by a call of ours whose answer was lost. */
const isPaidAlready = ({ code, data }: Problem) =>
  code === 'STATE_CONFLICT' && (data as { why?: string } | null)?.why === 'paidAlready'

/** Cut off, or answered by a proxy in the server's place. */
const isUnanswered = (problem: Problem) => isOffline(problem) || problem.code === 'BLOCKED_BY_PROXY'

const reasons = ['insufficient_funds', 'expired_card', 'incorrect_cvc', 'incorrect_number'] as const

function reasonOf({ data }: Problem): `reason.${(typeof reasons)[number] | 'other'}` {
  const said = (data as { reason?: string } | null)?.reason
  return `reason.${reasons.find((one) => one === said) ?? 'other'}`
}

import '#features/orders/payment-words.ts'
import { useEffect, useRef, useState } from 'react'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { amountLimits, type PaymentType, whyAmountNotTaken } from '#domain/payments.ts'
import { getSettings } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import { readAged } from '#local/lists/responses.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { type CardForm, PaymentCard } from '#features/orders/payment/CardForm.tsx'
import { PaymentWait } from '#features/orders/payment/PaymentPending.tsx'
import { useDueText } from '#features/orders/useDueText.ts'
import { type Outcome, type Payable, sendPayment, waysFor } from '#features/orders/payment/payment-api.ts'

/** `leaving`: the browser is on its way to the gateway. `checking`: the gateway has not said its last word. */
type Stage = 'ready' | 'sending' | 'leaving' | 'checking'

/** Amount, when it is due, the way most people take with its button, and the others below; then what came of it (M81 to M86). */
export function PaymentPanel({ order, onPaid }: { order: Payable; onPaid: () => void }) {
  const { t } = useTranslation('payment')
  const { caller } = useSignedIn()
  const isOnline = useConnection().line === 'online'
  // What this installation takes.
  const { response: settings, problem: unread, refetch } = useCachedResponse(readAged, getSettings, {})
  const ways = settings?.output.payment
  const { stage, problem, failed, send, told } = useSending(order, onPaid)
  const card = useRef<CardForm | null>(null)
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
  const date = order.due?.slice(0, 16) ?? ''
  const written = `${order.currency} ${grouped(amount)}`
  const whyNot = !isOnline && t('offline', { date })
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
        <ProblemNote problem={problem} title={t('failed')} focus>
          {problem?.code === 'CARD_INVALID' && <p>{t(reasonOf(problem))}</p>}
        </ProblemNote>
        {isOnline && <ProblemNote problem={unread} onRetry={() => void refetch()} />}
        {stage === 'checking' && <PaymentWait paid={order} onTold={told} />}
        {!ways && !unread && isOnline && <Skeleton lines={3} />}
        {ways && !first && <p>{t('noWays')}</p>}
        {first &&
          stage !== 'checking' &&
          (first === 'stripe' && ways?.stripe_key && isOnline && isTaken ? (
            <PaymentCard form={card} stripeKey={ways.stripe_key} money={{ amount, currency: order.currency }} />
          ) : (
            <p className="field-help">{whyNotTaken(first) ?? t(`help.${first}`)}</p>
          ))}
        {first && !isTaken && <p>{t('notTaken.contact')}</p>}
        {!isOnline && (
          <p className="payment-offline" role="status">
            {t('offline', { date })}
          </p>
        )}
        {failed.length > 0 && (
          <div role="alert" className="field-error">
            {failed.map((line) => (
              <p key={line}>{line}</p>
            ))}
          </div>
        )}
      </div>
      {first && stage !== 'checking' && (
        <div className="payment-act">
          <Button
            kind="primary"
            busy={stage !== 'ready'}
            whyNot={whyNotTaken(first) ?? whyNot}
            onClick={() => void send(first, first === 'stripe' ? card.current : null)}
          >
            {t(`pay.${first}`, { amount: written })}
          </Button>
          {stage === 'leaving' && <p role="status">{t('leaving')}</p>}
        </div>
      )}
      {others.length > 0 && stage !== 'checking' && (
        <div className="payment-others" role="group" aria-labelledby="payment-others">
          <h3 id="payment-others">{t('others')}</h3>
          {others.map((type) => (
            <div key={type}>
              <Button
                busy={stage !== 'ready'}
                whyNot={whyNotTaken(type) ?? whyNot}
                onClick={() => void send(type, null)}
              >
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

/** One payment at a time, however often it is pressed. */
function useSending(order: Payable, onPaid: () => void) {
  const { t } = useTranslation('payment')
  const dispatch = useDispatch()
  const [stage, setStage] = useState<Stage>('ready')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [failed, setFailed] = useState<readonly string[]>([])
  const isSending = useRef(false)
  useStay(() => setStage('ready'))

  function paid() {
    setStage('ready')
    showToast({ kind: 'done', text: t('paid.title') })
    onPaid()
  }
  function told(outcome: Outcome) {
    if (outcome === 'paid') return paid()
    setStage('ready')
    if (outcome === 'received') return setFailed([t('received.title'), t('received.text')])
    setFailed([outcome === 'declined' ? t('declined') : t('unfinished')])
  }
  async function settle(type: PaymentType, form: CardForm | null) {
    const filled = form ? await form.token() : { token: null }
    // Stripe's own sentence says which part of it (M81).
    if ('problem' in filled) return setFailed([t('declined'), filled.problem].filter(Boolean))
    const result = await dispatch(sendPayment(order, type, filled.token))
    if (result.kind === 'problem') {
      if (isPaidAlready(result.problem)) return paid()
      return setProblem(result.problem)
    }
    if (result.kind !== 'fresh') return
    if ('redirect' in result.output) return leave(result.output.redirect)
    if (result.output.status === 'processing') return setStage('checking')
    told(result.output.status)
  }
  function leave(address: string) {
    setStage('leaving')
    location.assign(address)
  }
  async function send(type: PaymentType, form: CardForm | null) {
    if (isSending.current) return
    isSending.current = true
    setProblem(null)
    setFailed([])
    setStage('sending')
    await settle(type, form).finally(() => {
      isSending.current = false
      setStage((now) => (now === 'sending' ? 'ready' : now))
    })
  }
  return { stage, problem, failed, send, told }
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

const reasons = ['insufficient_funds', 'expired_card', 'incorrect_cvc', 'incorrect_number'] as const

function reasonOf({ data }: Problem): `reason.${(typeof reasons)[number] | 'other'}` {
  const said = (data as { reason?: string } | null)?.reason
  return `reason.${reasons.find((one) => one === said) ?? 'other'}`
}

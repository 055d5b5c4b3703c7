import { type FormEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { isProvider, type ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { tidyText } from '#domain/text.ts'
import type { OrderRow } from '#contract/orders.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { LeaveQuestion, useHeldWay } from '#ui/navigation-guard/NavigationGuard.tsx'
import { useTranslation } from 'react-i18next'
import { DraftNote } from '#features/orders/wizard/DraftNote.tsx'
import { Finish } from '#features/orders/wizard/steps/ResultStep.tsx'
import { Information } from '#features/orders/wizard/steps/DetailsStep.tsx'
import { ModuleChoice } from '#features/orders/wizard/fields/ModulePicker.tsx'
import { OrderStep } from '#features/orders/wizard/steps/PaymentStep.tsx'
import { ForAmount, PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { OrderPrice, PriceFacts } from '#features/orders/quote/PriceSummary.tsx'
import { StageNotes } from '#features/orders/wizard/SubmitNotes.tsx'
import { Steps } from '#features/orders/wizard/steps/StepIndicator.tsx'
import { usePayableFault } from '#features/orders/payment/usePayableFault.ts'
import { UnpaidNote } from '#features/orders/payment/UnpaidNote.tsx'
import { lastStepOf, useStep } from '#features/orders/wizard/steps/useStep.ts'
import { useCode } from '#features/orders/wizard/useServiceCode.ts'
import type { WizardDraft } from '#features/orders/draft/useWizardDraft.ts'
import { useLatest } from '#features/orders/quote/useLatest.ts'
import { useOrdering } from '#features/orders/wizard/useSubmitOrder.ts'
import { useQuote } from '#features/orders/quote/useQuote.ts'
import type { OwnUnpaid } from '#features/orders/payment/useUnpaid.ts'
import type { Agreed, Step } from '#features/orders/draft/wizard-draft.ts'
import { isNotPayable, payableWords } from '#ui/i18n/payable-messages.ts'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import { checkInformation, checkModuleStep, stepOf, type Values, wishOf } from '#features/orders/draft/wizard-form.ts'
import { amountAfter, type PriceData, shownOf } from '#features/orders/quote/local-quote.ts'

interface Props {
  market: PriceData
  currencies: readonly Currency[]
  type: ClientType
  today: string
  kept: WizardDraft
  unpaid: readonly OwnUnpaid[]
}

/** The four steps. What stands typed is the draft's, so that a reload finds it where it was. */
export function Wizard({ market, currencies, type, today, kept, unpaid }: Props) {
  const { t } = useTranslation('wizard')
  const { caller } = useSignedIn()
  const { line } = useConnection()
  const { draft, change } = kept
  const { values, ordered } = draft
  const [step, goTo] = useStep(kept, market, today)
  const [problems, setProblems] = useState<readonly AnyProblem[]>([])
  const [refusals, setRefusals] = useState(0)
  const [made, setMade] = useState<OrderRow | null>(null)
  const unpaidWith = (code: string) => unpaid.find((one) => one.code === tidyText(code)) ?? null
  const own = unpaidWith(values.code)
  const code = useCode(values.code, own !== null)
  const wish = useMemo(() => wishOf(values), [values])
  const quote = useQuote(market, wish)
  const { reckoned } = quote
  // Drawn after the field that is typed into or dragged; what is ordered goes by `reckoned` itself.
  const priced = useDeferredValue(reckoned)
  const figure = reckoned?.kind === 'figure' ? reckoned.figure : null
  const fault = usePayableFault(figure, { waives: false })
  const whyNotPayable = isNotPayable(fault) ? payableWords(fault) : null
  const here = useMemo<Agreed | null>(
    () => figure && { shown: shownOf(figure, market.list), effective_date: market.list.effective_date },
    [figure, market],
  )
  const refuse = (found: readonly AnyProblem[]) => {
    setProblems(found)
    setRefusals((now) => now + 1)
    const [first] = found
    if (first) goTo(stepOf(first.field))
  }
  const way = useOrdering({
    kept,
    type,
    quote,
    here,
    unpaidWith,
    onOrdered: (order) => {
      setMade(order)
      finishOr(order)
    },
    onRefused: refuse,
  })
  /** What is paid is over: the browser's Back leads to nothing that could be ordered twice. */
  const finishOr = (order: OrderRow) => (order.state === 'unpaid' ? goTo(2) : goTo(3, true, Number(order.id)))
  const discard = () => {
    kept.discard()
    goTo(0, true)
  }
  const { isAsked, stay, leave } = useHeldWay(kept.unkept)
  const frame = useArrival(step, refusals)

  const fill = useLatest((fields: Partial<Values>) => {
    change((now) => ({ ...now, values: { ...now.values, ...fields }, agreed: null }))
    setProblems((now) =>
      now.some(({ field }) => field in fields) ? now.filter(({ field }) => !(field in fields)) : now,
    )
    way.calm()
  })
  const codeNow = useRef(values.code)
  useEffect(() => {
    codeNow.current = values.code
  }, [values.code])
  const refuseCode = (problem: AnyProblem) =>
    setProblems((now) => [...now.filter(({ field }) => field !== 'code'), problem])
  const leaveCode = useLatest(() => {
    // Left empty it may be passed over for now.
    if (values.code === '') return
    const malformed = checkInformation(values, market, today).find(({ field }) => field === 'code')
    if (malformed) return refuseCode(malformed)
    void code.look().then((free) => {
      if (!free && codeNow.current === values.code) refuseCode(occupied)
    })
  })

  async function next(event: FormEvent) {
    event.preventDefault()
    const found = checkInformation(values, market, today)
    if (found.length > 0) return refuse(found)
    if (!(await code.look())) return refuse([occupied])
    goTo(1)
  }
  function order() {
    const found = [...checkInformation(values, market, today), ...checkModuleStep(values, market)]
    if (found.length > 0) return refuse(found)
    void way.begin()
  }
  const orderWords = t(line === 'online' ? 'order.at' : 'order.later')
  const wrongModules = problems.find(({ field }) => field === 'modules')

  const facts = {
    market,
    reckoned: priced,
    offline: line !== 'online',
    hasModules: values.modules.length > 0,
    fault,
  }
  const beside = { label: t('price.label'), details: <PriceFacts {...facts} /> }

  return (
    <div className="wizard" ref={frame}>
      <Steps now={step} />
      {step < 2 && kept.offer && (
        <DraftOffer
          at={kept.offer.at}
          onContinue={() => {
            const accepted = kept.acceptOffer()
            if (accepted) goTo(lastStepOf(accepted, market, today) < accepted.step ? 0 : accepted.step)
          }}
          onDiscard={kept.discardOffer}
        />
      )}
      {step < 2 && <DraftNote keptAt={kept.keptAt} unkept={kept.unkept} discard={discard} />}
      {isAsked && <LeaveQuestion onStay={stay} onLeave={leave} />}
      {step < 2 && (
        <UnpaidNote unpaid={unpaid} code={own ? values.code : null} ordered={ordered} isOthers={step === 0} />
      )}
      {step === 0 && (
        <PricedLayout
          {...beside}
          onSubmit={(event) => void next(event)}
          bar={
            <OrderPrice {...facts}>
              <Button kind="primary" type="submit">
                {t('next')}
              </Button>
            </OrderPrice>
          }
        >
          <section className="card form">
            <h2 className="sr-only" tabIndex={-1}>
              {t('steps.0')}
            </h2>
            <ErrorSummary />
            <Information
              values={values}
              onChange={fill}
              onLeaveCode={leaveCode}
              codeState={code.state === 'taken' ? 'unasked' : code.state}
              problems={problems}
              market={market}
              currencies={currencies}
              today={today}
              isStaff={isProvider(caller)}
            />
          </section>
        </PricedLayout>
      )}
      {step === 1 && (
        <PricedLayout
          {...beside}
          bar={
            <OrderPrice {...facts}>
              {way.stage.kind !== 'confirm' && way.stage.kind !== 'waiting' && (
                <Button kind="primary" busy={way.stage.kind === 'sending'} whyNot={whyNotPayable} onClick={order}>
                  {figure && facts.hasModules ? <ForAmount words={orderWords} {...figure} /> : orderWords}
                </Button>
              )}
            </OrderPrice>
          }
        >
          <section className="card form">
            <h2 tabIndex={-1}>{t('steps.1')}</h2>
            <ModuleChoice
              market={market}
              currency={values.currency}
              chosen={values.modules}
              onChange={(modules) => fill({ modules })}
              amountOf={(modules) => (wish ? amountAfter(market, wish, today, modules) : null)}
              error={wrongModules && orderFieldWords(wrongModules, '')}
            />
            <StageNotes way={way} currency={values.currency} agreed={draft.agreed} code={values.code} />
            <div className="page-form-acts">
              <Button onClick={() => goTo(0)}>{t('back')}</Button>
            </div>
          </section>
        </PricedLayout>
      )}
      {step === 2 && ordered !== null && (
        <OrderStep
          id={ordered}
          made={made}
          told={quote.told}
          market={market}
          onBack={() => goTo(1)}
          onPaid={(paid) => {
            setMade(paid)
            goTo(3, true, Number(paid.id))
          }}
          onGone={() => {
            change((now) => ({ ...now, ordered: null }))
            goTo(1, true)
          }}
        />
      )}
      {step === 3 && <Finish order={made} today={today} onAgain={discard} />}
    </div>
  )
}

const occupied: AnyProblem = { field: 'code', code: 'DUPLICATE' }

/** The focus goes to the step that has come, or to the first field that is wrong where a submit was refused; never away from one that is typed into. */
function useArrival(step: Step, refusals: number) {
  const frame = useRef<HTMLDivElement>(null)
  const last = useRef(step)
  useEffect(() => {
    if (last.current === step) return
    last.current = step
    scrollTo(0, 0)
    frame.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }, [step])
  useEffect(() => {
    if (refusals > 0) frame.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusals])
  return frame
}

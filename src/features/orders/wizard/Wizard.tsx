import { type FormEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { isProvider, type ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { cleanText } from '#domain/text.ts'
import type { OrderRow } from '#contract/orders.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { useTranslation } from 'react-i18next'
import { DraftNote } from '#features/orders/wizard/DraftNote.tsx'
import { ResultStep } from '#features/orders/wizard/steps/ResultStep.tsx'
import { DetailsStep } from '#features/orders/wizard/steps/DetailsStep.tsx'
import { ModulePicker } from '#features/orders/wizard/fields/ModulePicker.tsx'
import { PaymentStep } from '#features/orders/wizard/steps/PaymentStep.tsx'
import { ActionWithAmount, PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { PriceSummary, PriceFacts } from '#features/orders/quote/PriceSummary.tsx'
import { SubmitNotes } from '#features/orders/wizard/SubmitNotes.tsx'
import { StepIndicator } from '#features/orders/wizard/steps/StepIndicator.tsx'
import { usePayableFault } from '#features/orders/payment/usePayableFault.ts'
import { UnpaidNote } from '#features/orders/payment/UnpaidNote.tsx'
import { getLastStep, useStep } from '#features/orders/wizard/steps/useStep.ts'
import { useServiceCode } from '#features/orders/wizard/useServiceCode.ts'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'
import { useLatestCallback } from '#features/orders/quote/useLatestCallback.ts'
import { useSubmitOrder } from '#features/orders/wizard/useSubmitOrder.ts'
import { useQuote } from '#features/orders/quote/useQuote.ts'
import type { OwnUnpaidOrder } from '#features/orders/payment/useUnpaidOrders.ts'
import type { AgreedQuote, WizardStep } from '#features/orders/draft/wizard-draft.ts'
import { isNotPayable, formatPayableFault } from '#ui/i18n/payable-messages.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import {
  checkInformation,
  checkModuleStep,
  getStepOfField,
  type WizardValues,
  toRequestedOrder,
} from '#features/orders/draft/wizard-form.ts'
import { calculateAmountWith, type PriceData, toDisplayedFigure } from '#features/orders/quote/local-quote.ts'

interface Props {
  priceData: PriceData
  currencies: readonly Currency[]
  type: ClientType
  today: string
  draftState: WizardDraftState
  unpaidOrders: readonly OwnUnpaidOrder[]
}

/** The four steps. What stands typed is the draft's, so that a reload finds it where it was. */
export function Wizard({ priceData, currencies, type, today, draftState, unpaidOrders }: Props) {
  const { t } = useTranslation('wizard')
  const { caller } = useSignedInSession()
  const { networkState: connection } = useConnection()
  const { draft, updateDraft } = draftState
  const { values, ordered: createdOrderId } = draft
  const [step, goTo] = useStep(draftState, priceData, today)
  const [problems, setProblems] = useState<readonly AnyFieldProblem[]>([])
  const [refusals, setRefusals] = useState(0)
  const [createdOrder, setCreatedOrder] = useState<OrderRow | null>(null)
  const findUnpaidOrder = (code: string) => unpaidOrders.find((order) => order.code === cleanText(code)) ?? null
  const ownUnpaidOrder = findUnpaidOrder(values.code)
  const codeCheck = useServiceCode(values.code, ownUnpaidOrder !== null)
  const requestedOrder = useMemo(() => toRequestedOrder(values), [values])
  const quote = useQuote(priceData, requestedOrder)
  const { localQuote } = quote
  // Drawn after the field that is typed into or dragged; what is ordered goes by `localQuote` itself.
  const deferredQuote = useDeferredValue(localQuote)
  const figure = localQuote?.kind === 'figure' ? localQuote.figure : null
  const fault = usePayableFault(figure, { isWaivable: false })
  const notPayableReason = isNotPayable(fault) ? formatPayableFault(fault) : null
  const currentQuote = useMemo<AgreedQuote | null>(
    () => figure && { shown: toDisplayedFigure(figure, priceData.list), effective_date: priceData.list.effective_date },
    [figure, priceData],
  )
  const showProblems = (foundProblems: readonly AnyFieldProblem[]) => {
    setProblems(foundProblems)
    setRefusals((count) => count + 1)
    const [first] = foundProblems
    if (first) goTo(getStepOfField(first.field))
  }
  const submission = useSubmitOrder({
    draftState,
    type,
    quote,
    currentQuote,
    findUnpaidOrder,
    onOrdered: (order) => {
      setCreatedOrder(order)
      goToOrderStep(order)
    },
    onRefused: showProblems,
  })
  /** What is paid is over: the browser's Back leads to nothing that could be ordered twice. */
  const goToOrderStep = (order: OrderRow) => (order.state === 'unpaid' ? goTo(2) : goTo(3, true, Number(order.id)))
  const discard = () => {
    draftState.discard()
    goTo(0, true)
  }
  const { isLeaveQuestionOpen: isLeaveRequested, stay, leave } = useNavigationGuard(draftState.isUnsaved)
  const wizardRef = useStepFocus(step, refusals)

  const updateValues = useLatestCallback((fields: Partial<WizardValues>) => {
    updateDraft((current) => ({ ...current, values: { ...current.values, ...fields }, agreed: null }))
    setProblems((current) =>
      current.some(({ field }) => field in fields) ? current.filter(({ field }) => !(field in fields)) : current,
    )
    submission.reset()
  })
  const latestCode = useRef(values.code)
  useEffect(() => {
    latestCode.current = values.code
  }, [values.code])
  const showCodeProblem = (problem: AnyFieldProblem) =>
    setProblems((current) => [...current.filter(({ field }) => field !== 'code'), problem])
  const checkCode = useLatestCallback(() => {
    // Left empty it may be passed over for now.
    if (values.code === '') return
    const codeProblem = checkInformation(values, priceData, today).find(({ field }) => field === 'code')
    if (codeProblem) return showCodeProblem(codeProblem)
    void codeCheck.checkIsFree().then((isFree) => {
      if (!isFree && latestCode.current === values.code) showCodeProblem(codeTakenProblem)
    })
  })

  async function next(event: FormEvent) {
    event.preventDefault()
    const foundProblems = checkInformation(values, priceData, today)
    if (foundProblems.length > 0) return showProblems(foundProblems)
    if (!(await codeCheck.checkIsFree())) return showProblems([codeTakenProblem])
    goTo(1)
  }
  function startOrder() {
    const foundProblems = [...checkInformation(values, priceData, today), ...checkModuleStep(values, priceData)]
    if (foundProblems.length > 0) return showProblems(foundProblems)
    void submission.start()
  }
  const orderText = t(connection === 'online' ? 'order.at' : 'order.later')
  const modulesProblem = problems.find(({ field }) => field === 'modules')

  const priceProps = {
    priceData,
    localQuote: deferredQuote,
    isOffline: connection !== 'online',
    hasModules: values.modules.length > 0,
    fault,
  }
  const layoutProps = { label: t('price.label'), details: <PriceFacts {...priceProps} /> }

  return (
    <div className="wizard" ref={wizardRef}>
      <StepIndicator currentStep={step} />
      {step < 2 && draftState.offer && (
        <DraftOffer
          savedAt={draftState.offer.savedAt}
          onContinue={() => {
            const acceptedDraft = draftState.acceptOffer()
            if (acceptedDraft)
              goTo(getLastStep(acceptedDraft, priceData, today) < acceptedDraft.step ? 0 : acceptedDraft.step)
          }}
          onDiscard={draftState.discardOffer}
        />
      )}
      {step < 2 && <DraftNote savedAt={draftState.savedAt} isUnsaved={draftState.isUnsaved} discard={discard} />}
      {isLeaveRequested && <LeaveQuestion onStay={stay} onLeave={leave} />}
      {step < 2 && (
        <UnpaidNote
          unpaidOrders={unpaidOrders}
          code={ownUnpaidOrder ? values.code : null}
          ownOrderId={createdOrderId}
          shouldShowOthers={step === 0}
        />
      )}
      {step === 0 && (
        <PricedLayout
          {...layoutProps}
          onSubmit={(event) => void next(event)}
          bar={
            <PriceSummary {...priceProps}>
              <Button kind="primary" type="submit">
                {t('next')}
              </Button>
            </PriceSummary>
          }
        >
          <section className="card form">
            <h2 className="sr-only" tabIndex={-1}>
              {t('steps.0')}
            </h2>
            <ErrorSummary />
            <DetailsStep
              values={values}
              onChange={updateValues}
              onLeaveCode={checkCode}
              codeState={codeCheck.state === 'taken' ? 'unasked' : codeCheck.state}
              problems={problems}
              priceData={priceData}
              currencies={currencies}
              today={today}
              isStaff={isProvider(caller)}
            />
          </section>
        </PricedLayout>
      )}
      {step === 1 && (
        <PricedLayout
          {...layoutProps}
          bar={
            <PriceSummary {...priceProps}>
              {submission.stage.kind !== 'confirm' && submission.stage.kind !== 'waiting' && (
                <Button
                  kind="primary"
                  isBusy={submission.stage.kind === 'sending'}
                  disabledReason={notPayableReason}
                  onClick={startOrder}
                >
                  {figure && priceProps.hasModules ? <ActionWithAmount text={orderText} {...figure} /> : orderText}
                </Button>
              )}
            </PriceSummary>
          }
        >
          <section className="card form">
            <h2 tabIndex={-1}>{t('steps.1')}</h2>
            <ModulePicker
              priceData={priceData}
              currency={values.currency}
              selectedCodes={values.modules}
              onChange={(modules) => updateValues({ modules })}
              getAmount={(modules) =>
                requestedOrder ? calculateAmountWith(priceData, requestedOrder, today, modules) : null
              }
              error={modulesProblem && formatOrderFieldProblem(modulesProblem, '')}
            />
            <SubmitNotes
              submission={submission}
              currency={values.currency}
              agreedQuote={draft.agreed}
              code={values.code}
            />
            <div className="page-form-acts">
              <Button onClick={() => goTo(0)}>{t('back')}</Button>
            </div>
          </section>
        </PricedLayout>
      )}
      {step === 2 && createdOrderId !== null && (
        <PaymentStep
          id={createdOrderId}
          createdOrder={createdOrder}
          serverQuote={quote.serverQuote}
          priceData={priceData}
          onBack={() => goTo(1)}
          onPaid={(paidOrder) => {
            setCreatedOrder(paidOrder)
            goTo(3, true, Number(paidOrder.id))
          }}
          onInvalid={() => {
            updateDraft((current) => ({ ...current, ordered: null }))
            goTo(1, true)
          }}
        />
      )}
      {step === 3 && <ResultStep order={createdOrder} today={today} onAgain={discard} />}
    </div>
  )
}

const codeTakenProblem: AnyFieldProblem = { field: 'code', code: 'DUPLICATE' }

/** The focus goes to the step that has come, or to the first field that is wrong where a submit was refused; never away from one that is typed into. */
function useStepFocus(step: WizardStep, refusals: number) {
  const wizardRef = useRef<HTMLDivElement>(null)
  const lastStep = useRef(step)
  useEffect(() => {
    if (lastStep.current === step) return
    lastStep.current = step
    scrollTo(0, 0)
    wizardRef.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }, [step])
  useEffect(() => {
    if (refusals > 0) wizardRef.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusals])
  return wizardRef
}

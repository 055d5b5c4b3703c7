import { useEffect, useRef } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'
import type { WizardStep } from '#features/orders/draft/wizard-draft.ts'
import { UnpaidNote } from '#features/orders/payment/UnpaidNote.tsx'
import type { OwnUnpaidOrder } from '#features/orders/payment/useUnpaidOrders.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import { DraftNote } from '#features/orders/wizard/DraftNote.tsx'
import { DetailsStep } from '#features/orders/wizard/steps/DetailsStep.tsx'
import { ModulesStep } from '#features/orders/wizard/steps/ModulesStep.tsx'
import { PaymentStep } from '#features/orders/wizard/steps/PaymentStep.tsx'
import { ResultStep } from '#features/orders/wizard/steps/ResultStep.tsx'
import { StepIndicator } from '#features/orders/wizard/steps/StepIndicator.tsx'
import { useWizard } from '#features/orders/wizard/useWizard.ts'

interface Props {
  priceData: PriceData
  currencies: readonly Currency[]
  type: ClientType
  today: string
  draftState: WizardDraftState
  unpaidOrders: readonly OwnUnpaidOrder[]
}

/** The four steps of a new order (contracts 2). */
export function Wizard(props: Props) {
  const { priceData, currencies, today, draftState, unpaidOrders } = props
  const wizard = useWizard(props)
  const { step, createdOrder, ownUnpaidOrder } = wizard
  const { ordered: createdOrderId } = wizard.draft
  const { isLeaveQuestionOpen, stay, leave } = useNavigationGuard(draftState.isUnsaved)
  const wizardRef = useStepFocus(step, wizard.refusalCount)
  const isOrdering = step < 2
  return (
    <div className="wizard" ref={wizardRef}>
      <StepIndicator currentStep={step} />
      {isOrdering && <DraftNotes draftState={draftState} onContinue={wizard.continueDraft} discard={wizard.discard} />}
      {isLeaveQuestionOpen && <LeaveQuestion onStay={stay} onLeave={leave} />}
      {isOrdering && (
        <UnpaidNote
          unpaidOrders={unpaidOrders}
          code={ownUnpaidOrder && wizard.values.code}
          ownOrderId={createdOrderId}
          shouldShowOthers={step === 0}
        />
      )}
      {step === 0 && <DetailsStep {...{ wizard, priceData, currencies, today }} />}
      {step === 1 && <ModulesStep {...{ wizard, priceData, today }} />}
      {step === 2 && createdOrderId !== null && (
        <PaymentStep
          id={createdOrderId}
          createdOrder={createdOrder}
          serverQuote={wizard.quote.serverQuote}
          priceData={priceData}
          onBack={() => wizard.goTo(1)}
          onPaid={wizard.openPaidOrder}
          onInvalid={wizard.forgetOrder}
        />
      )}
      {step === 3 && <ResultStep order={createdOrder} today={today} onAgain={wizard.discard} />}
    </div>
  )
}

interface DraftNotesProps {
  draftState: WizardDraftState
  onContinue: () => void
  discard: () => void
}

/** The draft of an earlier visit, and what is saved of this one. */
function DraftNotes({ draftState: { offer, discardOffer, savedAt, isUnsaved }, onContinue, discard }: DraftNotesProps) {
  return (
    <>
      {offer && <DraftOffer savedAt={offer.savedAt} onContinue={onContinue} onDiscard={discardOffer} />}
      <DraftNote savedAt={savedAt} isUnsaved={isUnsaved} discard={discard} />
    </>
  )
}

/** Focuses a new step, or the first wrong field after a refused submit; never leaves a field that is typed into. */
function useStepFocus(step: WizardStep, refusalCount: number) {
  const wizardRef = useRef<HTMLDivElement>(null)
  const lastStep = useRef(step)
  useEffect(() => {
    if (lastStep.current === step) return
    lastStep.current = step
    scrollTo(0, 0)
    wizardRef.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }, [step])
  useEffect(() => {
    if (refusalCount > 0) wizardRef.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusalCount])
  return wizardRef
}

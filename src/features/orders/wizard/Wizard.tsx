import { useEffect, useRef } from 'react'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import type { WizardStep } from '#features/orders/draft/wizard-draft.ts'
import { UnpaidNote } from '#features/orders/payment/UnpaidNote.tsx'
import { DraftNote } from '#features/orders/wizard/DraftNote.tsx'
import { DetailsStep } from '#features/orders/wizard/steps/DetailsStep.tsx'
import { ModulesStep } from '#features/orders/wizard/steps/ModulesStep.tsx'
import { PaymentStep } from '#features/orders/wizard/steps/PaymentStep.tsx'
import { ResultStep } from '#features/orders/wizard/steps/ResultStep.tsx'
import { StepIndicator } from '#features/orders/wizard/steps/StepIndicator.tsx'
import { useWizard, type WizardInput } from '#features/orders/wizard/state/useWizard.ts'

/** The four steps of a new order (contracts 2). */
export function Wizard(input: WizardInput) {
  const wizard = useWizard(input)
  const { step, draftState, createdOrder, ownUnpaidOrder } = wizard
  const { ordered: createdOrderId } = wizard.draft
  const { isLeaveQuestionOpen, stay, leave } = useNavigationGuard(draftState.isUnsaved)
  const wizardRef = useStepFocus(step, wizard.refusalCount)
  const isOrdering = step < 2
  return (
    <div className="wizard" ref={wizardRef}>
      <StepIndicator currentStep={step} />
      {isOrdering && <DraftNote draftState={draftState} onContinue={wizard.continueDraft} onDiscard={wizard.discard} />}
      {isLeaveQuestionOpen && <LeaveQuestion onStay={stay} onLeave={leave} />}
      {isOrdering && (
        <UnpaidNote
          unpaidOrders={wizard.unpaidOrders}
          code={ownUnpaidOrder && wizard.values.code}
          ownOrderId={createdOrderId}
          shouldShowOthers={step === 0}
        />
      )}
      {step === 0 && <DetailsStep wizard={wizard} />}
      {step === 1 && <ModulesStep wizard={wizard} />}
      {step === 2 && createdOrderId !== null && (
        <PaymentStep
          id={createdOrderId}
          createdOrder={createdOrder}
          serverQuote={wizard.quote.serverQuote}
          priceData={wizard.priceData}
          onBack={() => wizard.goTo(1)}
          onPaid={wizard.showResult}
          onInvalid={wizard.forgetOrder}
        />
      )}
      {step === 3 && <ResultStep order={createdOrder} today={wizard.today} onAgain={wizard.discard} />}
    </div>
  )
}

/** Focuses a new step, or the first invalid field after a refused submit. Never while the user types. */
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

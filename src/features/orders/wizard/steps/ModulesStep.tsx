import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatPayableFault, isNotPayable } from '#ui/i18n/payable-messages.ts'
import { formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { useTranslation } from 'react-i18next'
import { calculateAmountWith } from '#features/orders/quote/local-quote.ts'
import { ActionWithAmount } from '#features/orders/quote/PricedLayout.tsx'
import { ModulePicker } from '#features/orders/wizard/fields/ModulePicker.tsx'
import { PricedStep } from '#features/orders/wizard/steps/PricedStep.tsx'
import { SubmitNotes } from '#features/orders/wizard/steps/SubmitNotes.tsx'
import type { WizardState } from '#features/orders/wizard/state/useWizard.ts'

export function ModulesStep({ wizard }: { wizard: WizardState }) {
  const { t } = useTranslation('wizard')
  const { priceData, draft, values, problems, requestedOrder, fault, submission } = wizard
  const modulesProblem = problems.find(({ field }) => field === 'modules')
  return (
    <PricedStep
      wizard={wizard}
      button={
        submission.stage.kind !== 'confirm' &&
        submission.stage.kind !== 'waiting' && (
          <Button
            kind="primary"
            isBusy={submission.stage.kind === 'sending'}
            disabledReason={isNotPayable(fault) ? formatPayableFault(fault) : null}
            onClick={wizard.startOrder}
          >
            <OrderLabel wizard={wizard} />
          </Button>
        )
      }
    >
      <h2 tabIndex={-1}>{t('steps.1')}</h2>
      <ModulePicker
        priceData={priceData}
        currency={values.currency}
        selectedCodes={values.modules}
        onChange={(modules) => wizard.updateValues({ modules })}
        getAmount={(modules) => requestedOrder && calculateAmountWith(priceData, requestedOrder, wizard.today, modules)}
        error={modulesProblem && formatOrderFieldProblem(modulesProblem, '')}
      />
      <SubmitNotes submission={submission} currency={values.currency} agreedQuote={draft.agreed} code={values.code} />
      <div className="page-form-acts">
        <Button onClick={() => wizard.goTo(0)}>{t('back')}</Button>
      </div>
    </PricedStep>
  )
}

function OrderLabel({ wizard: { quote, values } }: { wizard: WizardState }) {
  const { t } = useTranslation('wizard')
  const { networkState: connection } = useConnection()
  const text = t(connection === 'online' ? 'order.at' : 'order.later')
  const { localFigure } = quote
  if (!localFigure || values.modules.length === 0) return text
  return <ActionWithAmount text={text} {...localFigure} />
}

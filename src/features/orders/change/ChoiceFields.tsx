import { useTranslation } from 'react-i18next'
import { useToday } from '#ui/page/use-today.ts'
import { ModulePicker } from '#features/orders/wizard/fields/ModulePicker.tsx'
import { TermsFields } from '#features/orders/wizard/fields/TermsFields.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { calculateAmountWith, type PriceData, type RequestedOrder } from '#features/orders/quote/local-quote.ts'
import type { ChangeDraft } from '#features/orders/change/change-form.ts'

interface Props {
  draft: ChangeDraft
  onChange: (fields: Partial<ChangeDraft>) => void
  problems: readonly AnyFieldProblem[]
  priceData: PriceData
  contract: ContractRow
  /** Order for which the effect of adding or removing a module on the price is calculated. Null if it cannot be priced. */
  pricedOrder: RequestedOrder | null
}

/** Inputs for the parts of a contract that can change. Removing a module in use needs consent (contracts 2). */
export function ChoiceFields({ draft, onChange, problems, priceData, contract, pricedOrder }: Props) {
  const { t } = useTranslation('contract')
  const today = useToday(priceData.timeZone)
  const modulesProblem = problems.find(({ field }) => field === 'modules')
  return (
    <>
      <TermsFields
        values={draft}
        onChange={onChange}
        problems={problems}
        priceData={priceData}
        currency={contract.currency}
      />
      <ModulePicker
        priceData={priceData}
        currency={contract.currency}
        selectedCodes={draft.modules}
        onChange={(modules) => onChange({ modules })}
        getAmount={(modules) => pricedOrder && calculateAmountWith(priceData, pricedOrder, today, modules)}
        inUse={contract.modules}
        error={modulesProblem && formatOrderFieldProblem(modulesProblem, t('field.modules'))}
      />
    </>
  )
}

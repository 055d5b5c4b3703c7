import { useTranslation } from 'react-i18next'
import { ModulePicker } from '#features/orders/wizard/fields/ModulePicker.tsx'
import { TermsFields } from '#features/orders/wizard/fields/TermsFields.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import type { ChangeDraft } from '#features/orders/change/change-form.ts'

interface Props {
  draft: ChangeDraft
  onChange: (fields: Partial<ChangeDraft>) => void
  problems: readonly AnyFieldProblem[]
  priceData: PriceData
  contract: ContractRow
  /** What a choice of modules comes to; null: it has no price. */
  getAmount: (modules: readonly string[]) => string | null
}

/** What a contract may become: its mode, users, UAT and modules. Those in use are not taken out unasked (contracts 2). */
export function ChoiceFields({ draft, onChange, problems, priceData, contract, getAmount }: Props) {
  const { t } = useTranslation('contract')
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
        getAmount={getAmount}
        inUse={contract.modules}
        error={modulesProblem && formatOrderFieldProblem(modulesProblem, t('field.modules'))}
      />
    </>
  )
}

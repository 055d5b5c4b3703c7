import { useTranslation } from 'react-i18next'
import { ModuleChoice } from '#features/orders/wizard/fields/ModulePicker.tsx'
import { OrderFields } from '#features/orders/wizard/fields/TermsFields.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import type { ChangeDraft } from '#features/orders/change/change-form.ts'

interface Props {
  typed: ChangeDraft
  onChange: (fields: Partial<ChangeDraft>) => void
  problems: readonly AnyProblem[]
  market: PriceData
  contract: ContractRow
  /** What a choice of modules comes to; null: it has no price. */
  amountOf: (modules: readonly string[]) => string | null
}

/** What a contract may become: its mode, users, UAT and modules. Those in use are not taken out unasked (contracts 2). */
export function ChoiceFields({ typed, onChange, problems, market, contract, amountOf }: Props) {
  const { t } = useTranslation('contract')
  const wrong = problems.find(({ field }) => field === 'modules')
  return (
    <>
      <OrderFields
        values={typed}
        onChange={onChange}
        problems={problems}
        market={market}
        currency={contract.currency}
      />
      <ModuleChoice
        market={market}
        currency={contract.currency}
        chosen={typed.modules}
        onChange={(modules) => onChange({ modules })}
        amountOf={amountOf}
        inUse={contract.modules}
        error={wrong && orderFieldWords(wrong, t('field.modules'))}
      />
    </>
  )
}

import { useTranslation } from 'react-i18next'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { getFaultText } from '#features/prices/faults/fault-text.ts'
import { useSettings } from '#features/prices/useSettings.ts'

/** What is wrong with a list, each in a sentence that names the field, the module or the range. */
export function FaultList({ faults }: { faults: readonly AnyFieldProblem[] }) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound
  return (
    <ul className="price-faults">
      {faults.map((fault) => (
        <li key={`${fault.field} ${fault.code}`}>{getFaultText(t, fault, uatBound)}</li>
      ))}
    </ul>
  )
}

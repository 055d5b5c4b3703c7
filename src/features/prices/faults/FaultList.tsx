import { useTranslation } from 'react-i18next'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import { faultText } from '#features/prices/faults/fault-text.ts'

/** What is wrong with a list, each in a sentence that names the field, the module or the range. */
export function FaultList({ faults }: { faults: readonly AnyProblem[] }) {
  const { t } = useTranslation('prices')
  return (
    <ul className="price-faults">
      {faults.map((fault) => (
        <li key={`${fault.field} ${fault.code}`}>{faultText(t, fault)}</li>
      ))}
    </ul>
  )
}

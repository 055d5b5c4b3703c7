import { memo } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { getFaultText } from '#features/prices/faults/fault-text.ts'
import type { PlacedFault } from '#features/prices/faults/list-faults.ts'
import { useSettings } from '#patterns/useSettings.ts'

interface Props {
  faults: readonly PlacedFault[]
  /** Whether the list is confirmed or withdrawn, so that its faults can no longer be fixed. */
  isConfirmed: boolean
  /** Whether nothing has been typed in a new list. */
  isUntouched: boolean
}

/** Shows faults that prevent confirming, and warnings. */
export const ListCheck = memo(function ListCheck({ faults, isConfirmed, isUntouched }: Props) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound
  const errorCount = faults.filter(({ isWarning }) => !isWarning).length
  if (isConfirmed && errorCount === 0) return null
  if (isUntouched) return <p className="price-sub">{t('check.start')}</p>
  return (
    <section className={errorCount > 0 ? 'price-check wrong' : 'price-check'} aria-labelledby="price-check">
      <h2 id="price-check">
        {t(isConfirmed ? 'check.confirmedTitle' : errorCount > 0 ? 'check.notReady' : 'check.title')}
      </h2>
      <FaultCounts {...{ errorCount, isConfirmed }} warningCount={faults.length - errorCount} />
      {/* Focusable, so that long content can be scrolled with the keyboard. */}
      <ul tabIndex={faults.length > 1 ? 0 : undefined} aria-labelledby="price-check">
        {faults.map((fault) => (
          <li key={`${fault.field} ${fault.code}`} className={fault.isWarning ? undefined : 'wrong'}>
            <Icon name={fault.isWarning ? 'info' : 'alert'} size={16} />
            <span>{getFaultText(t, fault, uatBound)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
})

interface FaultCountsProps {
  errorCount: number
  warningCount: number
  isConfirmed: boolean
}

function FaultCounts({ errorCount, warningCount, isConfirmed }: FaultCountsProps) {
  const { t } = useTranslation('prices')
  const counts = [
    ...(errorCount > 0 ? [t(isConfirmed ? 'check.confirmed' : 'check.errors', { count: errorCount })] : []),
    ...(warningCount > 0 ? [t('check.warnings', { count: warningCount })] : []),
  ]
  return (
    <p className="price-sub" role="status">
      {counts.length === 0 ? t('check.none') : counts.join(' · ')}
    </p>
  )
}

import { memo } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { getFaultText } from '#features/prices/faults/fault-text.ts'
import type { PlacedFault } from '#features/prices/faults/list-faults.ts'
import { useSettings } from '#features/prices/useSettings.ts'

interface Props {
  faults: readonly PlacedFault[]
  /** It is used already, or was: nothing here can be changed. */
  isConfirmed: boolean
}

/**
 * What keeps the list from being confirmed, and what is worth a look. As high with many entries as with none, so that the fields
 * below stay where they are while somebody types.
 */
export const ListCheck = memo(function ListCheck({ faults, isConfirmed }: Props) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound
  const errors = faults.filter(({ problem }) => !problem.isWarning).length
  const warnings = faults.length - errors
  if (isConfirmed && errors === 0) return null
  const counts = [
    ...(errors > 0 ? [t(isConfirmed ? 'check.confirmed' : 'check.errors', { count: errors })] : []),
    ...(warnings > 0 ? [t('check.warnings', { count: warnings })] : []),
  ]
  return (
    <section className={errors > 0 ? 'price-check wrong' : 'price-check'} aria-labelledby="price-check">
      <h2 id="price-check">{t(isConfirmed ? 'check.confirmedTitle' : 'check.title')}</h2>
      <p className="price-sub" role="status">
        {counts.length === 0 ? t('check.none') : counts.join(' · ')}
      </p>
      {/* Scrolled with the keys where it does not fit. */}
      <ul tabIndex={faults.length > 1 ? 0 : undefined} aria-labelledby="price-check">
        {faults.map(({ problem }) => (
          <li key={`${problem.field} ${problem.code}`} className={problem.isWarning ? undefined : 'wrong'}>
            <Icon name={problem.isWarning ? 'info' : 'alert'} size={16} />
            <span>{getFaultText(t, problem, uatBound)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
})

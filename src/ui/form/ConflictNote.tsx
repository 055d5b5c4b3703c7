import '#ui/form/forms.css'
import { useTranslation } from 'react-i18next'

/** Displays changes that another user made to a row while its form was open: the changed fields with their current values. */
export function ConflictNote({
  title,
  differences,
}: {
  title: string
  differences: { label: string; value: string }[]
}) {
  const { t } = useTranslation('ui')
  return (
    <div className="conflict-note" role="alert">
      <strong>{title}</strong>
      {differences.length > 0 && (
        <ul>
          {differences.map(({ label, value }) => (
            <li key={label}>{t('conflict.value', { field: label, value: value || '–' })}</li>
          ))}
        </ul>
      )}
      <p>{t('conflict.text')}</p>
    </div>
  )
}

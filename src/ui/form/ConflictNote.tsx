import '#ui/form/forms.css'
import { useTranslation } from 'react-i18next'

/** What somebody else made of a row while its form was open: the fields that differ, with what they are now. */
export function ConflictNote({ title, found }: { title: string; found: { label: string; now: string }[] }) {
  const { t } = useTranslation('ui')
  return (
    <div className="conflict-note" role="alert">
      <strong>{title}</strong>
      {found.length > 0 && (
        <ul>
          {found.map(({ label, now }) => (
            <li key={label}>{t('conflict.value', { field: label, value: now || '–' })}</li>
          ))}
        </ul>
      )}
      <p>{t('conflict.text')}</p>
    </div>
  )
}

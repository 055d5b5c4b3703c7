import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { useTranslation } from 'react-i18next'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'

/** Lists each changed field with its old and new value, always as text and never as markup. */
export function Differences({ entry }: { entry: Pick<AuditEntryRow, 'code' | 'changes'> }) {
  const { t } = useTranslation('audit')
  const { formatField, formatFieldValue } = useEntryFormatter()
  return (
    <table className="trail-changes">
      <caption className="sr-only">{t('entry.differences')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('entry.field')}</th>
          <th scope="col">{t('entry.before')}</th>
          <th scope="col">{t('entry.after')}</th>
        </tr>
      </thead>
      <tbody>
        {entry.changes.map(({ field, before: previousValue, after: newValue }, index) => (
          // A field may be listed twice, so the key includes the index.
          <tr key={`${index} ${field}`}>
            <th scope="row">{formatField(field, entry)}</th>
            <td data-label={t('entry.before')}>
              <del>{formatFieldValue(field, previousValue, entry)}</del>
            </td>
            <td data-label={t('entry.after')}>
              <ins>{formatFieldValue(field, newValue, entry)}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

import type { Waiting } from '#local/waiting.ts'
import { useWords } from '#ui/words.ts'
import { changesIn, currentIn, isSame, useFieldWords } from '#features/outbox/wording.ts'

/** What it was, what the user wants and what somebody else has made of it, side by side (protocol 14). */
export function Compare({ entry }: { entry: Waiting }) {
  const t = useWords('outbox')
  const words = useFieldWords()
  const current = currentIn(entry.problem)
  if (!current) return <p className="waiting-gone">{t('conflict.gone')}</p>
  const changes = changesIn(entry).filter(({ field, to }) => !isSame(current[field], to))
  return (
    <div className="waiting-compare">
      <p>
        <strong>{t('conflict.title')}</strong>
      </p>
      <p className="field-help">{t('conflict.text')}</p>
      {changes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('conflict.field')}</th>
              <th scope="col">{t('conflict.was')}</th>
              <th scope="col">{t('conflict.mine')}</th>
              <th scope="col">{t('conflict.theirs')}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, from, to }) => (
              <tr key={field}>
                <th scope="row">{words.field(field)}</th>
                <td>{from === undefined ? '' : words.value(field, from)}</td>
                <td>{words.value(field, to)}</td>
                <td>{words.value(field, current[field])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

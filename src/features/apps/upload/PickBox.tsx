import { useId } from 'react'
import type { Choice } from '#features/apps/upload/choice.ts'
import type { Entry } from '#features/apps/upload/upload-entry.ts'
import { useTranslation } from 'react-i18next'

interface Props {
  entry: Entry
  choice: Choice
  onChoose: (on: boolean) => void
}

/** Whether a version is to be published. Where it cannot be, the box says why, by pointer, finger and key alike (M157). */
export function PickBox({ entry, choice, onChoose }: Props) {
  const { t } = useTranslation('apps')
  const reasonId = useId()
  const { row } = entry
  if (!row) return null
  const blocked = choice.whyNot(entry)
  const why =
    blocked &&
    (blocked.why === 'twice'
      ? t('pick.twice', { name: row.app_name, version: blocked.version })
      : t(`pick.${blocked.why}`))
  return (
    <label className="check box pick-box">
      <span className="hinted">
        <input
          type="checkbox"
          aria-label={t('pick.one', { name: row.app_name, version: row.version })}
          aria-disabled={blocked !== null || undefined}
          aria-describedby={why ? reasonId : undefined}
          checked={choice.chosen.includes(entry)}
          onChange={({ target }) => blocked === null && onChoose(target.checked)}
        />
        {why && (
          <span className="hint" id={reasonId}>
            {why}
          </span>
        )}
      </span>
    </label>
  )
}

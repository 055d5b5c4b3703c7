import { useId } from 'react'
import type { PackageSelection } from '#features/apps/upload/select-packages.ts'
import type { UploadEntry } from '#features/apps/upload/upload-entry.ts'
import { useTranslation } from 'react-i18next'

interface PickBoxProps {
  entry: UploadEntry
  selection: PackageSelection
  onSelect: (isSelected: boolean) => void
}

/** Selects a version. If it cannot be published, the reason is shown to pointer, touch and keyboard users (M157). */
export function PickBox({ entry, selection, onSelect }: PickBoxProps) {
  const { t } = useTranslation('apps')
  const reasonId = useId()
  const { row } = entry
  if (!row) return null
  const blockedReason = selection.getBlockedReason(entry)
  const reasonText =
    blockedReason &&
    (blockedReason.reason === 'twice'
      ? t('pick.twice', { name: row.app_name, version: blockedReason.version })
      : t(`pick.${blockedReason.reason}`))
  return (
    <label className="check box pick-box">
      <span className="hinted">
        <input
          type="checkbox"
          aria-label={t('pick.one', { name: row.app_name, version: row.version })}
          aria-disabled={blockedReason !== null || undefined}
          aria-describedby={reasonText ? reasonId : undefined}
          checked={selection.selectedEntries.includes(entry)}
          onChange={({ target }) => blockedReason === null && onSelect(target.checked)}
        />
        {reasonText && (
          <span className="hint" id={reasonId}>
            {reasonText}
          </span>
        )}
      </span>
    </label>
  )
}

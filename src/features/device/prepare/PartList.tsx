import { sizeOf } from '#features/device/format-bytes.ts'
import {
  type PartName,
  partNames,
  type PreparationRecord,
  type PreparedPart,
} from '#local/storage/preparation-record.ts'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { readingTime } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

/** Part by part: how large, how old, and what is missing. `running`: the part that is being fetched. */
export function PartList({ record, running }: { record: PreparationRecord; running: PartName | null }) {
  const { t } = useTranslation('prepare')
  const names = partNames.filter((name) => record.parts[name] !== undefined || name === running)
  if (names.length === 0) return null
  return (
    <ul className="device-own device-parts" aria-label={t('parts')}>
      {names.map((name) => {
        const part = record.parts[name]
        return (
          <li key={name}>
            <Icon name={getIcon(part, name === running)} />
            <span>
              <strong>{t(`part.${name}`)}</strong>
              <br />
              <PartState part={part} isRunning={name === running} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function getIcon(part: PreparedPart | undefined, isRunning: boolean): IconName {
  if (isRunning || !part) return 'waiting'
  return part.missing > 0 ? 'alert' : 'check'
}

function PartState({ part, isRunning }: { part: PreparedPart | undefined; isRunning: boolean }) {
  const { t } = useTranslation('prepare')
  if (isRunning || !part) return <span className="field-help">{t(isRunning ? 'state.running' : 'state.waiting')}</span>
  const { bytes, asOf, missing, problem } = part
  return (
    <span className="field-help">
      {t('state.saved', { size: sizeOf(bytes), time: readingTime(asOf) })}
      {problem && missing > 0 && (
        <>
          <br />
          {problem.code === 'NOT_ATTEMPTED'
            ? t('state.rest', { count: missing })
            : t('state.missing', { count: missing, reason: problemWords(problem) })}
        </>
      )}
    </span>
  )
}

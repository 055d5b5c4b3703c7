import { formatBytes } from '#features/device/format-bytes.ts'
import {
  type PreparationPartName,
  preparationPartNames,
  type PreparationRecord,
  type PreparedPart,
} from '#local/storage/preparation-record.ts'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { useTranslation } from 'react-i18next'

export function PartList({
  record,
  runningPart,
}: {
  record: PreparationRecord
  runningPart: PreparationPartName | null
}) {
  const { t } = useTranslation('prepare')
  const names = preparationPartNames.filter((name) => record.parts[name] !== undefined || name === runningPart)
  if (names.length === 0) return null
  return (
    <ul className="device-own device-parts" aria-label={t('parts')}>
      {names.map((name) => {
        const part = record.parts[name]
        return (
          <li key={name}>
            <Icon name={getIcon(part, name === runningPart)} />
            <span>
              <strong>{t(`part.${name}`)}</strong>
              <br />
              <PartState part={part} isRunning={name === runningPart} />
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
      {t('state.saved', { size: formatBytes(bytes), time: formatReadingTime(asOf) })}
      {problem && missing > 0 && (
        <>
          <br />
          {problem.code === 'NOT_ATTEMPTED'
            ? t('state.rest', { count: missing })
            : t('state.missing', { count: missing, reason: formatProblem(problem) })}
        </>
      )}
    </span>
  )
}

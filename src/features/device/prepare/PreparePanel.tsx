import '#features/device/prepare/translations.ts'
import { useState, useSyncExternalStore } from 'react'
import { formatBytes } from '#features/device/format-bytes.ts'
import { PanelSpace } from '#features/device/prepare/PanelSpace.tsx'
import { PartList } from '#features/device/prepare/PartList.tsx'
import type { PreparationRecord, PreparedPart } from '#local/storage/preparation-record.ts'
import { readPreparation } from '#local/preparation/preparation-store.ts'
import type { PreparationProgress, DevicePreparer, PrepareResult } from '#request/call-results.ts'
import { useConnection } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'

export function PreparePanel({ preparer }: { preparer: DevicePreparer }) {
  const { t } = useTranslation('prepare')
  const record = useLiveQuery(() => readPreparation(), [])
  const progress = useSyncExternalStore(preparer.subscribe, preparer.getProgress)
  const [result, setResult] = useState<PrepareResult | null>(null)
  if (!record) return <PanelSpace />
  const prepare = async () => {
    setResult(null)
    setResult(await preparer.prepare())
  }
  const turnOff = async () => {
    await preparer.turnOff()
    setResult(null)
    showToast({ kind: 'done', text: t('turnedOff') })
  }
  return (
    <section className="card" aria-labelledby="device-prepare">
      <div>
        <h2 id="device-prepare">{t('title')}</h2>
        <p className="field-help">{t('text')}</p>
      </div>
      {progress ? (
        <PreparationProgressBar progress={progress} />
      ) : (
        <PreparationSummary record={record} result={result} />
      )}
      <Actions {...{ record, preparer, isRunning: progress !== null }} onPrepare={prepare} onTurnOff={turnOff} />
      {record.isOn && <PartList record={record} runningPart={progress?.part ?? null} />}
    </section>
  )
}

function getNextStep({ isOn, parts, end }: PreparationRecord): 'start' | 'refresh' | 'continue' {
  if (!isOn || Object.keys(parts).length === 0) return 'start'
  return end?.kind === 'done' ? 'refresh' : 'continue'
}

function Actions({
  record,
  preparer,
  isRunning,
  onPrepare,
  onTurnOff,
}: {
  record: PreparationRecord
  preparer: DevicePreparer
  isRunning: boolean
  onPrepare: () => Promise<void>
  onTurnOff: () => Promise<void>
}) {
  const { t } = useTranslation('prepare')
  const isOnline = useConnection().networkState === 'online'
  const nextStep = getNextStep(record)
  return (
    <div className="device-acts">
      {isRunning ? (
        <Button icon="stop" onClick={preparer.stop}>
          {t('stop')}
        </Button>
      ) : (
        <Button
          icon={nextStep === 'start' ? 'device' : 'refresh'}
          kind={nextStep === 'refresh' ? 'quiet' : 'primary'}
          disabledReason={isOnline ? null : t('needsConnection')}
          onClick={() => void onPrepare()}
        >
          {t(nextStep)}
        </Button>
      )}
      {record.isOn && <Button onClick={() => void onTurnOff()}>{t('turnOff')}</Button>}
    </div>
  )
}

function PreparationProgressBar({
  progress: { part, index, count, doneCount, total: totalCount },
}: {
  progress: PreparationProgress
}) {
  const { t } = useTranslation('prepare')
  const stepParams = { index: index + 1, total: count, part: t(`part.${part}`) }
  const text = totalCount > 0 ? t('stepOf', { ...stepParams, done: doneCount, of: totalCount }) : t('step', stepParams)
  return (
    <div className="device-usage">
      <ProgressBar
        label={t('progress')}
        percent={Math.floor(((index + (totalCount > 0 ? doneCount / totalCount : 0)) / count) * 100)}
        text={text}
      />
      <p role="status">{text}</p>
    </div>
  )
}

function PreparationSummary({ record, result }: { record: PreparationRecord; result: PrepareResult | null }) {
  const { t } = useTranslation('prepare')
  // If the disk is full, the stored record could not be updated, so the result of the run is shown instead.
  const end = result?.kind === 'no space' ? result : record.end
  if (result?.kind === 'busy') return <p role="status">{t('busy')}</p>
  if (!record.isOn || !end) return null
  const parts = Object.values(record.parts)
  const size = formatBytes(parts.reduce((sum, { bytes }) => sum + bytes, 0))
  if (end.kind === 'no space') return <SpaceWarning {...end} />
  if (end.kind === 'problem')
    return (
      <>
        <p role="status">{t('notYet', { size })}</p>
        <ProblemNote problem={end.problem} title={t('failed')} />
      </>
    )
  return end.kind === 'stopped' ? <p role="status">{t('stopped')}</p> : <SavedParts parts={parts} size={size} />
}

function SpaceWarning({ free, needed }: { free: number | null; needed: number }) {
  const { t } = useTranslation('prepare')
  const isKnown = free !== null && needed > 0
  return (
    <p className="device-promise device-warning" role="alert">
      <Icon name="alert" />
      {isKnown ? t('noSpace', { free: formatBytes(free), needed: formatBytes(needed) }) : t('noSpaceUnknown')}
    </p>
  )
}

function SavedParts({ parts, size }: { parts: readonly PreparedPart[]; size: string }) {
  const { t } = useTranslation('prepare')
  const isComplete = parts.every(({ missing }) => missing === 0)
  // Uses the time of the oldest part, so that the displayed "Updated" time is true for all parts.
  const time = formatReadingTime(Math.min(...parts.map(({ asOf }) => asOf)))
  return (
    <p className={`device-promise ${isComplete ? 'kept' : ''}`} role="status">
      <Icon name={isComplete ? 'check' : 'info'} />
      {t(isComplete ? 'on' : 'onPartly', { size, time })}
    </p>
  )
}

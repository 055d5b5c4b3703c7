import { useState } from 'react'
import type { StoredTrail } from '#local/storage/trail-records.ts'
import type { StoredTrailProof } from '#request/call-results.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'

export function StoredTrailFacts({
  companyId,
  storedTrail,
  isComplete,
  isProven,
}: {
  companyId: number
  storedTrail: StoredTrail
  isComplete: boolean
  isProven: boolean
}) {
  const { t } = useTranslation('storedTrail')
  const { from, to, next: nextIndex, hidden: hiddenCount, dateFrom, dateTo, follows: isFollowing, asOf } = storedTrail
  const [doneCount, totalCount] = [nextIndex - from, to - from]
  const progress = t('keep.progress', { done: formatNumber(doneCount), of: formatNumber(totalCount) })
  return (
    <>
      <DescriptionList>
        <DescriptionItem label={t('keep.days')}>
          {isFollowing ? t('keep.daysOn', { from: dateFrom }) : t('keep.daysTo', { from: dateFrom, to: dateTo })}
        </DescriptionItem>
        <DescriptionItem label={t('keep.entries')}>
          {isComplete ? formatNumber(doneCount - hiddenCount) : progress}
        </DescriptionItem>
        <DescriptionItem label={t('keep.asOf')}>
          {asOf === null ? t('keep.never') : formatReadingTime(asOf)}
        </DescriptionItem>
      </DescriptionList>
      {!isComplete && (
        <ProgressBar
          label={t('keep.entries')}
          percent={totalCount === 0 ? 0 : Math.floor((doneCount / totalCount) * 100)}
          text={progress}
        />
      )}
      {hiddenCount > 0 && (
        <p className="field-help">{t('keep.hidden', { count: hiddenCount, number: formatNumber(hiddenCount) })}</p>
      )}
      {isComplete && isProven && <CheckAll companyId={companyId} />}
    </>
  )
}

type CheckState =
  | { kind: 'idle' | 'nothing' }
  | { kind: 'running'; doneCount: number; totalCount: number }
  | { kind: 'ended'; proof: StoredTrailProof; seconds: string }

/** Verifies all stored entries in one run, without a connection. */
function CheckAll({ companyId }: { companyId: number }) {
  const { t } = useTranslation('storedTrail')
  const dispatch = useDispatch()
  const [check, setCheck] = useState<CheckState>({ kind: 'idle' })
  async function run() {
    const startedAt = performance.now()
    setCheck({ kind: 'running', doneCount: 0, totalCount: 0 })
    const onProgress = (doneCount: number, totalCount: number) => setCheck({ kind: 'running', doneCount, totalCount })
    const proof = await dispatch(getTrailActions())
      .then((trailActions) => trailActions.proveAll(companyId, onProgress))
      .catch(() => null)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    setCheck(proof ? { kind: 'ended', proof, seconds } : { kind: 'nothing' })
  }
  return (
    <>
      <p>
        <Button icon="check" isBusy={check.kind === 'running'} onClick={() => void run()}>
          {t('all.check')}
        </Button>
      </p>
      <p role="status">
        {check.kind === 'running' &&
          check.totalCount > 0 &&
          t('all.checking', { done: formatNumber(check.doneCount), of: formatNumber(check.totalCount) })}
        {check.kind === 'nothing' && t('all.nothing')}
        {check.kind === 'ended' &&
          check.proof.kind === 'proven' &&
          t('all.proven', {
            count: check.proof.entries,
            number: formatNumber(check.proof.entries),
            seconds: check.seconds,
          })}
      </p>
      {check.kind === 'ended' && check.proof.kind === 'alarm' && <AlarmNote alarm={check.proof.alarm} />}
    </>
  )
}

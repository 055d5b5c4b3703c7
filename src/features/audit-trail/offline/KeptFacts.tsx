import { useState } from 'react'
import type { KeptTrail } from '#local/storage/trail-records.ts'
import type { KeptProof } from '#request/results.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { number, readingTime } from '#ui/list/Freshness.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { trailsPort } from '#features/audit-trail/offline/trails.ts'

/** Which days are here, how many entries, how old; how far it is while it comes; and the check of all of it. */
export function KeptFacts({
  companyId,
  kept,
  isWhole,
  isProven,
}: {
  companyId: number
  kept: KeptTrail
  isWhole: boolean
  isProven: boolean
}) {
  const { t } = useTranslation('auditKept')
  const { from, to, next, hidden, dateFrom, dateTo, follows, asOf } = kept
  const [done, of] = [next - from, to - from]
  const progress = t('keep.progress', { done: number(done), of: number(of) })
  return (
    <>
      <Facts>
        <Fact label={t('keep.days')}>
          {follows ? t('keep.daysOn', { from: dateFrom }) : t('keep.daysTo', { from: dateFrom, to: dateTo })}
        </Fact>
        <Fact label={t('keep.entries')}>{isWhole ? number(done - hidden) : progress}</Fact>
        <Fact label={t('keep.asOf')}>{asOf === null ? t('keep.never') : readingTime(asOf)}</Fact>
      </Facts>
      {!isWhole && (
        <ProgressBar label={t('keep.entries')} percent={of === 0 ? 0 : Math.floor((done / of) * 100)} text={progress} />
      )}
      {hidden > 0 && <p className="field-help">{t('keep.hidden', { count: hidden, number: number(hidden) })}</p>}
      {isWhole && isProven && <CheckAll companyId={companyId} />}
    </>
  )
}

type Check =
  | { kind: 'idle' | 'nothing' }
  | { kind: 'running'; done: number; of: number }
  | { kind: 'ended'; proof: KeptProof; seconds: string }

/** All entries at once, without a network. */
function CheckAll({ companyId }: { companyId: number }) {
  const { t } = useTranslation('auditKept')
  const dispatch = useDispatch()
  const [check, setCheck] = useState<Check>({ kind: 'idle' })
  async function run() {
    const began = performance.now()
    setCheck({ kind: 'running', done: 0, of: 0 })
    const onProgress = (done: number, of: number) => setCheck({ kind: 'running', done, of })
    const proof = await dispatch(trailsPort())
      .then((trails) => trails.proveAll(companyId, onProgress))
      .catch(() => null)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    setCheck(proof ? { kind: 'ended', proof, seconds } : { kind: 'nothing' })
  }
  return (
    <>
      <p>
        <Button icon="check" busy={check.kind === 'running'} onClick={() => void run()}>
          {t('all.check')}
        </Button>
      </p>
      <p role="status">
        {check.kind === 'running' &&
          check.of > 0 &&
          t('all.checking', { done: number(check.done), of: number(check.of) })}
        {check.kind === 'nothing' && t('all.nothing')}
        {check.kind === 'ended' &&
          check.proof.kind === 'proven' &&
          t('all.proven', { count: check.proof.entries, number: number(check.proof.entries), seconds: check.seconds })}
      </p>
      {check.kind === 'ended' && check.proof.kind === 'alarm' && <AlarmNote alarm={check.proof.alarm} />}
    </>
  )
}

import '#features/audit-trail/offline/words.ts'
import { useCallback, useEffect, useState } from 'react'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import type { EntryProof } from '#request/results.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { saveFile } from '#ui/display/download-text.ts'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { trailsPort } from '#features/audit-trail/offline/trails.ts'

const tones: Record<EntryProof['kind'], Tone> = {
  proven: 'positive',
  recording: 'pending',
  unchecked: 'neutral',
  alarm: 'danger',
}
/** So long an entry that is being recorded is left alone before it is looked at again. */
const recordedWithinMs = 2_000

/** Whether the log has this entry as it is shown, worked out on this device; and the proof to take along. */
export function ProofView({ entry, companyId }: { entry: AuditEntryRow; companyId: number }) {
  const { t } = useTranslation('auditKept')
  const { proof, check } = useProof(entry, companyId)
  return (
    <section aria-label={t('proof.label')}>
      <h3>{t('proof.label')}</h3>
      <p role="status">
        {proof === null ? (
          <Tag>{t('proof.checking')}</Tag>
        ) : (
          <>
            <Tag tone={tones[proof.kind]}>{t(`proof.${proof.kind}`)}</Tag> <Said proof={proof} />
          </>
        )}
      </p>
      {proof?.kind === 'alarm' && <AlarmNote alarm={proof.alarm} />}
      {proof?.kind === 'proven' && (
        <Button icon="install" onClick={() => saveFile(proof.file, `audit-proof-${entry.id}.json`, 'application/json')}>
          {t('proof.export')}
        </Button>
      )}
      {(proof?.kind === 'unchecked' || proof?.kind === 'alarm') && (
        <Button icon="refresh" onClick={check}>
          {t('proof.again')}
        </Button>
      )}
    </section>
  )
}

function Said({ proof }: { proof: EntryProof }) {
  const { t } = useTranslation('auditKept')
  if (proof.kind === 'alarm') return null
  return (
    <span>
      {proof.kind === 'proven' ? t('proof.provenText', { size: number(proof.size) }) : t(`proof.${proof.kind}Text`)}
    </span>
  )
}

/** Null: it is being checked. Checked once more when the connection is back, and until it has been recorded. */
function useProof(entry: AuditEntryRow, companyId: number) {
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [state, setState] = useState<{ of: AuditEntryRow; proof: EntryProof } | null>(null)
  const [turn, setTurn] = useState(0)
  const check = useCallback(() => {
    setState(null)
    setTurn((now) => now + 1)
  }, [])
  const isSettled = state !== null && state.of.leaf === entry.leaf && state.proof.kind === 'proven'
  // biome-ignore lint: the connection and the turn are not used, that they change is the reason
  useEffect(() => {
    if (isSettled) return
    let counts = true
    void dispatch(trailsPort())
      .then((trails) => trails.prove(companyId, entry))
      // Code that cannot be fetched is as out of reach as the server.
      .catch((): EntryProof => ({ kind: 'unchecked' }))
      .then((proof) => counts && setState({ of: entry, proof }))
    return () => void (counts = false)
    // oxlint-disable-next-line react/exhaustive-deps
  }, [dispatch, entry.id, entry.leaf, entry.log_index, companyId, line, turn])
  const isRecording = state?.proof.kind === 'recording' && entry.log_index !== null
  useEffect(() => {
    if (!isRecording) return
    const timer = setTimeout(() => setTurn((now) => now + 1), recordedWithinMs)
    return () => clearTimeout(timer)
  }, [isRecording, turn])
  return { proof: state?.of.id === entry.id ? state.proof : null, check }
}

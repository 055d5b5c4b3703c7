import '#features/audit-trail/offline/translations.ts'
import { useCallback, useEffect, useState } from 'react'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import type { EntryProof } from '#request/call-results.ts'
import { useNoFileReason } from '#patterns/useOfflineReason.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { downloadText } from '#ui/display/download-text.ts'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'

const tones: Record<EntryProof['kind'], TagTone> = {
  proven: 'positive',
  recording: 'pending',
  unchecked: 'neutral',
  alarm: 'danger',
}
/** Delay before an entry that is still being recorded is checked again, ms. */
const recordingDelayMs = 2_000

/** Verifies on this device that the log contains the entry as displayed. The user can download the proof. */
export function ProofView({ entry, companyId }: { entry: AuditEntryRow; companyId: number }) {
  const { t } = useTranslation('storedTrail')
  const { proof, check } = useProof(entry, companyId)
  const noFileReason = useNoFileReason()
  return (
    <section aria-label={t('proof.label')}>
      <h3>{t('proof.label')}</h3>
      <p role="status">
        {proof === null ? (
          <Tag>{t('proof.checking')}</Tag>
        ) : (
          <>
            <Tag tone={tones[proof.kind]}>{t(`proof.${proof.kind}`)}</Tag> <ProofText proof={proof} />
          </>
        )}
      </p>
      {proof?.kind === 'alarm' && <AlarmNote alarm={proof.alarm} />}
      {proof?.kind === 'proven' && (
        <Button
          icon="install"
          disabledReason={noFileReason}
          onClick={() => downloadText(proof.file, `audit-proof-${entry.id}.json`, 'application/json')}
        >
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

function ProofText({ proof }: { proof: EntryProof }) {
  const { t } = useTranslation('storedTrail')
  if (proof.kind === 'alarm') return null
  return (
    <span>
      {proof.kind === 'proven'
        ? t('proof.provenText', { size: formatNumber(proof.size) })
        : t(`proof.${proof.kind}Text`)}
    </span>
  )
}

/** Checks the proof, also after a reconnection and until the entry has been recorded. `proof` is null during the check. */
function useProof(entry: AuditEntryRow, companyId: number) {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [state, setState] = useState<{ entry: AuditEntryRow; proof: EntryProof } | null>(null)
  const [attempt, setAttempt] = useState(0)
  const check = useCallback(() => {
    setState(null)
    setAttempt((current) => current + 1)
  }, [])
  const isSettled = state !== null && state.entry.leaf === entry.leaf && state.proof.kind === 'proven'
  // biome-ignore lint: the connection and the turn are not used, that they change is the reason
  useEffect(() => {
    if (isSettled) return
    let isActive = true
    void dispatch(getTrailActions())
      .then((trailActions) => trailActions.prove(companyId, entry))
      // Code that cannot be loaded is reported like an unreachable server.
      .catch((): EntryProof => ({ kind: 'unchecked' }))
      .then((proof) => isActive && setState({ entry, proof }))
    return () => void (isActive = false)
    // oxlint-disable-next-line react/exhaustive-deps
  }, [dispatch, entry.id, entry.leaf, entry.log_index, companyId, connection, attempt])
  const isRecording = state?.proof.kind === 'recording' && entry.log_index !== null
  useEffect(() => {
    if (!isRecording) return
    const timer = setTimeout(() => setAttempt((current) => current + 1), recordingDelayMs)
    return () => clearTimeout(timer)
  }, [isRecording, attempt])
  return { proof: state?.entry.id === entry.id ? state.proof : null, check }
}
